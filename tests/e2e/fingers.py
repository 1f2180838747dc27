# SPDX-License-Identifier: MIT
"""Fingers on a screen and on a touchpad, as the server reports them from a device: an X server without hardware whose devices
are sockets (the driver "inputtest" of X.Org's server, inputtestdrv(4)). Nothing in the program knows that this is a test.
usage: fingers.py VITRAIL DEMO-SLIDE-GENERATOR"""
import math
import pathlib
import socket
import struct
import subprocess
import sys
import time

from desk import SKIP, TMP, Program, check, demo_slide, finish, need, start_server

APP, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
WIDTH, HEIGHT, AXIS = 1400, 900, 0xFFFF
VERSION, SYNC, MOTION, TOUCH, PINCH = 0, 1, 2, 6, 7  # messages to the driver
TOUCH_BEGIN, TOUCH_UPDATE, TOUCH_END, PINCH_BEGIN, PINCH_UPDATE, PINCH_END = 18, 19, 20, 27, 28, 29  # XInput's numbers

CONFIGURATION = """
Section "ServerFlags"
  Option "AutoAddDevices" "false"
  Option "DontVTSwitch" "true"
EndSection
Section "Device"
  Identifier "card"
  Driver "dummy"
  VideoRam 65536
EndSection
Section "Monitor"
  Identifier "monitor"
  HorizSync 5-1000
  VertRefresh 5-200
  Modeline "{width}x{height}" 100 {width} {h1} {h2} {h3} {height} {v1} {v2} {v3}
EndSection
Section "Screen"
  Identifier "screen"
  Device "card"
  Monitor "monitor"
  DefaultDepth 24
  SubSection "Display"
    Depth 24
    Modes "{width}x{height}"
  EndSubSection
EndSection
Section "InputDevice"
  Identifier "screen-fingers"
  Driver "inputtest"
  Option "SocketPath" "{folder}/screen"
  Option "DeviceType" "Touch"
EndSection
Section "InputDevice"
  Identifier "touchpad"
  Driver "inputtest"
  Option "SocketPath" "{folder}/touchpad"
  Option "DeviceType" "PointerGesture"
EndSection
Section "InputDevice"
  Identifier "keyboard"
  Driver "inputtest"
  Option "SocketPath" "{folder}/keyboard"
  Option "DeviceType" "Keyboard"
EndSection
Section "ServerLayout"
  Identifier "layout"
  Screen "screen"
  InputDevice "touchpad" "CorePointer"
  InputDevice "keyboard" "CoreKeyboard"
  InputDevice "screen-fingers"
EndSection
"""


class Device:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.send(VERSION, struct.pack("<HH", 1, 0))
        self.socket.recv(12)

    def send(self, kind, body):
        self.socket.sendall(struct.pack("<Ii", 8 + len(body), kind) + body)

    def sync(self):
        self.send(SYNC, b"")
        self.socket.recv(8)
        time.sleep(0.012)

    @staticmethod
    def axes(values):
        mask = sum(1 << axis for axis in values)
        numbers = [float(values.get(axis, 0)) for axis in range(64)]
        return struct.pack("<IQ4x64d512x", 0, mask, *numbers)

    def finger(self, number, phase, x, y):
        place = {0: x * AXIS / WIDTH, 1: y * AXIS / HEIGHT}
        self.send(TOUCH, struct.pack("<II", number, phase) + self.axes(place))

    def scroll(self, down):
        self.send(MOTION, struct.pack("<I4x", 0) + self.axes({3: down}))
        self.sync()

    def pinch(self, phase, scale, degrees):
        self.send(PINCH, struct.pack("<HHI6d", phase, 2, 0, 0, 0, 0, 0, scale, degrees))
        self.sync()


class FingerDisplay:
    def __init__(self):
        text = CONFIGURATION.format(folder=TMP, width=WIDTH, height=HEIGHT, h1=WIDTH + 16, h2=WIDTH + 32, h3=WIDTH + 64,
                                    v1=HEIGHT + 3, v2=HEIGHT + 6, v3=HEIGHT + 20)
        (TMP / "xorg.conf").write_text(text)
        self.name = start_server("Xorg", "-config", str(TMP / "xorg.conf"), "-logfile", str(TMP / "xorg.log"), "-novtswitch",
                                 "-sharevts")
        if self.name and all((TMP / n).exists() for n in ("screen", "touchpad")):
            return
        print("SKIP: an X.Org server with the drivers dummy and inputtest does not start here")
        sys.exit(SKIP)


def two_fingers(device, x, y, places):
    """Both at the same distance on opposite sides of (x,y): (distance, degrees) one after the other."""
    phase = TOUCH_BEGIN
    for distance, degrees in places + [places[-1]]:
        dx, dy = (distance * f(math.radians(degrees)) for f in (math.cos, math.sin))
        for number, sign in ((1, 1), (2, -1)):
            device.finger(number, phase, x + sign * dx, y + sign * dy)
            device.sync()
        phase = TOUCH_UPDATE
    for number, sign in ((1, 1), (2, -1)):
        device.finger(number, TOUCH_END, x + sign * dx, y + sign * dy)
        device.sync()


def on_screen(program, device, x, y):
    before = program.view()
    two_fingers(device, x, y, [(60 + 6 * i, 0) for i in range(11)])
    program.wait("two fingers that part enlarge", lambda: program.view()[4] < before[4] * 0.6)
    program.settle(0.5)
    after = program.view()
    check(abs(after[4] - before[4] / 2) < before[4] * 0.03 and after[5] == before[5],
          f"by as much as they part, and nothing turns: {before[4]} {after[4:6]}")
    two_fingers(device, x, y, [(120 - 6 * i, 0) for i in range(11)])
    program.wait("two that meet make smaller", lambda: abs(program.view()[4] - before[4]) < before[4] * 0.05)
    program.settle(0.5)
    again = program.view()
    check(abs(again[0] - before[0]) < 8 * before[4] and abs(again[1] - before[1]) < 8 * before[4],
          f"what was between them stayed there: {before[:2]} {again[:2]}")
    two_fingers(device, x, y, [(100, 3 * i) for i in range(21)])
    program.wait("two fingers that go round turn", lambda: 40 < program.view()[5] < 50)
    program.settle(0.5)
    check(abs(program.view()[4] - again[4]) < again[4] * 0.03, "and do not zoom")
    two_fingers(device, x, y, [(100, -3 * i) for i in range(21)])
    program.wait("and back", lambda: program.view()[5] < 1 or program.view()[5] > 359)
    program.settle(0.5)
    before = program.view()
    for i in range(11):
        device.finger(3, TOUCH_UPDATE if i else TOUCH_BEGIN, x - 12 * i, y - 6 * i)
        device.sync()
    device.finger(3, TOUCH_END, x - 120, y - 60)
    device.sync()
    program.wait("one finger moves the slide", lambda: program.view()[0] > before[0] + 100 * before[4])
    program.settle(0.5)
    check(program.view()[0] > before[0] + 130 * before[4], "and it glides on when the finger has left")


def on_touchpad(program, device, x, y):
    subprocess.run(["xdotool", "mousemove", str(x), str(y)], check=True, env=program.env)
    program.settle(0.5)
    before = program.view()
    device.pinch(PINCH_BEGIN, 1, 0)
    for i in range(1, 11):
        device.pinch(PINCH_UPDATE, 1 + i / 10, 0)
    device.pinch(PINCH_END, 2, 0)
    program.wait("two fingers that part on the touchpad enlarge",
                 lambda: abs(program.view()[4] - before[4] / 2) < before[4] * 0.03)
    program.settle(0.5)
    before = program.view()
    device.pinch(PINCH_BEGIN, 1, 0)
    for _ in range(15):
        device.pinch(PINCH_UPDATE, 1, 3)
    device.pinch(PINCH_END, 1, 0)
    program.wait("two that go round turn", lambda: 25 < program.view()[5] < 35)
    check(program.view()[4] == before[4], "and do not zoom")
    program.settle(0.5)
    before = program.view()
    for _ in range(10):
        device.scroll(-12)
    program.wait("two that move along zoom, in steps as fine as theirs", lambda: program.view()[4] < before[4] * 0.95)


def main():
    need("Xorg", "xdotool", "dbus-run-session")
    slide = demo_slide(DEMO, 4096)
    display = FingerDisplay()
    program = Program(display, APP, "--zoom", "10", slide)
    program.wait("the slide is sharp", lambda: program.events("sharp"))
    program.settle(0.5)
    on_screen(program, Device(TMP / "screen"), 450, 420)
    on_touchpad(program, Device(TMP / "touchpad"), 450, 420)
    program.end()
    finish()


main()
