# SPDX-License-Identifier: MIT
"""Where a widget is, by the name that a screen reader says: prints the middle of it in window coordinates,
then its left, top, width, height.
usage: accessible.py NAME [SECONDS]
       accessible.py --focused      prints role, left, top, name of what has the keyboard
       accessible.py --description NAME     prints what else a screen reader says of the first widget of that name
       accessible.py --all          prints role and name of everything that has a name, one a line; before GTK 4.18 of hidden tabs, too"""
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib


def role(node):
    """AT-SPI 2.56 calls a push button a button."""
    name = node.get_role_name().replace(" ", "-")
    return "push-button" if name == "button" else name


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


def described(node, name):
    try:
        if node.get_name() == name and node.get_description():
            return node.get_description()
        children = [node.get_child_at_index(i) for i in range(node.get_child_count())]
    except GLib.Error:
        return None
    return next(filter(None, (described(child, name) for child in filter(None, children))), None)


def everything(node):
    try:
        name = node.get_name()
        line = [role(node) + " " + name] if name else []
        children = [node.get_child_at_index(i) for i in range(node.get_child_count())]
    except GLib.Error:
        return []
    return line + [text for child in filter(None, children) for text in everything(child)]


if sys.argv[1] == "--description":
    print(described(Atspi.get_desktop(0), sys.argv[2]) or "")
    sys.exit()
if sys.argv[1] == "--all":
    print("\n".join(everything(Atspi.get_desktop(0))))
    sys.exit(0)
if sys.argv[1] == "--focused":
    node = focused(Atspi.get_desktop(0))
    if not node:
        sys.exit("nothing has the keyboard")
    box = node.get_extents(Atspi.CoordType.WINDOW)
    print(role(node), box.x, box.y, node.get_name())
    sys.exit(0)
end = time.time() + float(sys.argv[2] if len(sys.argv) > 2 else 10)
while time.time() < end:
    box = find(Atspi.get_desktop(0), sys.argv[1])
    if box:
        print(box.x + box.width // 2, box.y + box.height // 2, box.x, box.y, box.width, box.height)
        sys.exit(0)
    time.sleep(0.2)
sys.exit("no widget is called " + sys.argv[1])
