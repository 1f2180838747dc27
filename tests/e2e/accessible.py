# SPDX-License-Identifier: MIT
"""Where a widget is, by the name that a screen reader says: prints the middle of it in window coordinates,
then its left, top, width, height.
usage: accessible.py NAME [SECONDS]
       accessible.py --focused      prints role, left, top, name of what has the keyboard
       accessible.py --labels       prints the texts of all labels, one a line, in no order, those of hidden tabs, too"""
import collections
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib


def find(node, name):
    try:
        if node.get_name() == name:
            box = node.get_extents(Atspi.CoordType.WINDOW)
            if box.width > 0 and box.height > 0:
                return box
        children = [node.get_child_at_index(i) for i in range(node.get_child_count())]
    except GLib.Error:  # gone in the meantime, or no widget
        try:
            children = [node.get_child_at_index(i) for i in range(node.get_child_count())]
        except GLib.Error:
            return None
    for child in filter(None, children):
        box = find(child, name)
        if box:
            return box
    return None


def focused(node):
    """The innermost one that says so."""
    found = None
    try:
        if node.get_state_set().contains(Atspi.StateType.FOCUSED):
            found = node
        children = [node.get_child_at_index(i) for i in range(node.get_child_count())]
    except GLib.Error:
        return found
    for child in filter(None, children):
        found = focused(child) or found
    return found


def connect():
    session = Gio.bus_get_sync(Gio.BusType.SESSION)
    address, = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, 0, -1, None).unpack()
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(address, flags, None, None)


def children(bus, nodes):
    """Of all nodes, asked at once: one after the other, a table of objects takes ten seconds."""
    found, answers = [], []

    def take(bus, result):
        answers.append(None)
        try:
            found.extend(bus.call_finish(result).unpack()[0])
        except GLib.Error:  # gone in the meantime
            pass

    for name, path in nodes:
        bus.call(name, path, "org.a11y.atspi.Accessible", "GetChildren", None, None, 0, -1, None, take)
    while len(answers) < len(nodes):
        GLib.MainContext.default().iteration(True)
    return found


def labels(bus):
    """From what each program keeps of its tree, in no order. GTK keeps what has been asked for once."""
    programs = children(bus, [("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")])

    def kept():
        return [item for name, _ in programs for item in bus.call_sync(name, "/org/a11y/atspi/cache", "org.a11y.atspi.Cache", "GetItems",
                                                                       None, None, 0, -1, None).unpack()[0]]

    items = kept()  # each: itself, program, parent, index, number of children, interfaces, name, role, ...
    seen, counts = {item[0] for item in items}, collections.Counter(item[2] for item in items)
    new = [item[0] for item in items if counts[item[0]] < item[4]]
    while new:
        new = [node for node in children(bus, new) if node not in seen]
        seen.update(new)
        items = []
    items = items or kept()
    parents = {item[0]: item[2] for item in items}

    def is_in_window(node):
        while node in parents and node not in programs:
            node = parents[node]
        return node in programs

    return [item[6] for item in items if item[7] == int(Atspi.Role.LABEL) and item[6] and is_in_window(item[0])]


if sys.argv[1] == "--labels":
    print("\n".join(labels(connect())))
    sys.exit(0)
if sys.argv[1] == "--focused":
    node = focused(Atspi.get_desktop(0))
    if not node:
        sys.exit("nothing has the keyboard")
    box = node.get_extents(Atspi.CoordType.WINDOW)
    print(node.get_role_name().replace(" ", "-"), box.x, box.y, node.get_name())
    sys.exit(0)
end = time.time() + float(sys.argv[2] if len(sys.argv) > 2 else 10)
while time.time() < end:
    box = find(Atspi.get_desktop(0), sys.argv[1])
    if box:
        print(box.x + box.width // 2, box.y + box.height // 2, box.x, box.y, box.width, box.height)
        sys.exit(0)
    time.sleep(0.2)
sys.exit("no widget is called " + sys.argv[1])
