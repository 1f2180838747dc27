# SPDX-License-Identifier: MIT
"""A small window from which one file can be dragged; it prints "drawn" when it can be seen. usage: drop-source.py FILE"""
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gio, Gtk


def drawn(clock):
    clock.disconnect_by_func(drawn)
    print("drawn", flush=True)


def activate(app):
    label = Gtk.Label(label="drag me")
    source = Gtk.DragSource()
    files = Gdk.FileList.new_from_list([Gio.File.new_for_path(sys.argv[1])])
    source.connect("prepare", lambda *_: Gdk.ContentProvider.new_for_value(files))
    label.add_controller(source)
    window = Gtk.ApplicationWindow(application=app, title="vitrail-drop-source", default_width=200, default_height=120)
    window.set_child(label)
    window.connect("map", lambda *_: window.get_frame_clock().connect("after-paint", drawn))
    window.present()


app = Gtk.Application(application_id="io.github.vitrail.DropSource")
app.connect("activate", activate)
app.run([])
