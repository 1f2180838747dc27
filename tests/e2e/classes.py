# SPDX-License-Identifier: MIT
"""Classes taught by keys in the real window: objects are selected, 1 and 2 make them examples, the others follow; exported files and
`vitrail-batch run --model` with the saved model say the same.
usage: classes.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import csv
import json
import pathlib
import subprocess
import sys

from desk import TMP, Display, Program, check, demo_slide, finish, need

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
STATE = TMP / "state"


def table(folder):
    with open(folder / "features.csv", newline="", encoding="utf-8-sig") as f:
        return list(csv.DictReader(f))


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus")
    slide = demo_slide(DEMO, 1024)
    display = Display("vitrail-classes")
    program = Program(display, APP, "--op", "nuclei-threshold", "--live", "--zoom", "20", "--centre", "512,512", slide, XDG_STATE_HOME=str(STATE))
    program.wait("the slide is analysed", lambda: program.events("run-done"))
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "shift+p")
    program.wait("P shows the classes", lambda: program.labels("Two classes need examples"))
    for number, cls in enumerate((1, 2, 1, 2, 1, 2)):
        count = len(program.events("taught"))
        selected = len(program.events("selected"))
        display.do("key", "q" if number > 2 else "greater")
        program.wait_more("selected", selected, "an object is selected")
        display.do("key", str(cls))
        program.wait_more("taught", count, f"which becomes an example of class {cls}")
    program.wait("six examples are learned", lambda: any(line.split()[1] == "6" for line in program.events("learned")))
    program.settle(0.5)
    program.wait("and said to be checked", lambda: program.labels("of 6 examples are found right"))
    display.picture("classes")
    program.action("save-model-to", TMP / "classes.model.json")
    program.wait("the model is saved", lambda: program.events("model-saved"))
    program.action("export-results-to", TMP / "results")
    program.wait("the results are exported", (TMP / "results" / "record.json").exists)
    rows = table(TMP / "results")
    names = {row["Classification"] for row in rows}
    check(names <= {"Nucleus", "Not a nucleus"} and len(names) == 2, f"each object has a class: {names}")
    record = json.loads((TMP / "results" / "record.json").read_text())
    check(record["model"]["examples"] == 6, f"the record says by which model: {record['model']}")
    done = subprocess.run([str(BATCH), "run", "nuclei-threshold", str(slide), "--model", str(TMP / "classes.model.json"), "--out", str(TMP / "batch")],
                          capture_output=True, text=True, timeout=120)
    check(done.returncode == 0 and table(TMP / "batch")[0]["Classification"] in names, f"the saved model serves in batch {done.stderr}")
    check(json.loads((TMP / "batch" / "record.json").read_text())["model"]["hash"] == record["model"]["hash"], "it is the same model")
    while_it_moves(display, program, names)
    in_table(display, program, rows)
    again(display, program, rows, record)
    lessons(display, slide)
    finish()


def while_it_moves(display, program, names):
    """What is exported while the slide shows a first look at another place, or classes are on their way, has its classes, too."""
    without, folders = [], 0
    for key in ("Right", "Left"):
        events = len(program.events())
        display.do("key", key)
        program.wait(f"{key} moves the view", lambda: any(e.startswith("view ") for e in program.events()[events:]))
        program.wait("it is looked at", lambda: any(e.startswith(("coarse-done", "run-done")) for e in program.events()[events:]))
        for _ in range(2):
            folder, folders = TMP / f"moving-{folders}", folders + 1
            program.action("export-results-to", folder)
            program.wait("the results are exported", lambda: any(e.endswith(folder.name) for e in program.events("exported")))
            without += [row for row in table(folder) if row["Classification"] not in names]
        program.settle(0.5)
    check(not without, f"all objects have their classes meanwhile {without[:1]}")


def in_table(display, program, exported):
    """Class and margin are columns like others: filtered, sorted, copied and saved they say what the exported file says."""
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "shift+t")
    program.wait("the table has a column of classes", lambda: program.place("Class"))
    program.settle(0.5)
    display.picture("class-column")
    wanted = [row for row in exported if row["Classification"] == "Nucleus" and float(row["Nucleus: Area µm^2"]) > 20]
    program.click(display, "Filter of the objects")
    display.do("type", 'class = nucleus and area > 20')
    program.wait(f"{len(wanted)} nuclei pass by class and area", lambda: program.labels(f"{len(wanted)} of {len(exported)} objects"))
    check(0 < len(wanted) < len(exported), "which are some")
    program.click(display, "Unselect the object")  # its card says the class, too
    program.wait("the card goes", lambda: program.events("selected")[-1] == "selected none")
    x, y = program.find("Class margin")[:2]
    count = len(program.events("table-sorted"))
    display.do("mousemove", x, y, "click", 1)
    program.wait_more("table-sorted", count, "a click on the margin sorts by it")
    program.action("export-objects-to", TMP / "rows.csv")
    program.wait("the rows are saved", lambda: program.events("table-saved"))
    with open(TMP / "rows.csv", newline="", encoding="utf-8") as file:
        saved = list(csv.DictReader(file))
    margins = [float(row["Classification margin"]) for row in saved]
    check({row["Classification"] for row in saved} == {"Nucleus"} and margins == sorted(margins), "as they are shown")
    check(sorted(margins) == sorted(float(row["Classification margin"]) for row in wanted), "with the margins of the exported file")
    display.do("mousemove", x, y + 60, "click", 1, "key", "ctrl+c")
    program.wait("Ctrl+C copies them", lambda: program.events("table-copied"))
    display.picture("class-filtered")
    program.click(display, "Filter of the objects")
    display.do("key", "ctrl+a", "type", "class = stroma")
    program.wait("a class that there is not is said, with those that there are",
                 lambda: program.labels("At character 9: “Class” is never “stroma”, but: Nucleus, Not a nucleus"))


def again(display, program, exported, record):
    """What was taught is in the session: a killed program's examples come back, and give the same objects the same classes."""
    program.kill()
    program = Program(display, APP, XDG_STATE_HOME=str(STATE))
    program.wait("the next start offers what was open", lambda: program.events("restore-offered"))
    program.action("restore-last")
    program.wait("it comes back", lambda: program.events("session-restored"))
    program.wait("and learns the six examples again", lambda: any(line.split()[1] == "6" for line in program.events("learned")))
    program.wait("on its objects", lambda: program.events("run-done"))
    program.settle(0.5)
    program.action("export-results-to", TMP / "results-again")
    program.wait("its results are exported", (TMP / "results-again" / "record.json").exists)
    rows = table(TMP / "results-again")
    # The view went to the row that was clicked: at its edges, objects have other neighbours, by which they are classified, too.
    def measured(row):
        return tuple(v for k, v in row.items() if k.startswith(("Centroid", "Nucleus:", "Cell:", "Cytoplasm:", "Neighbours", "Nearest", "Delaunay")))
    both = {measured(row): row["Classification"] for row in exported}
    same = [both[measured(row)] == row["Classification"] for row in rows if measured(row) in both]
    check(len(same) > 5 and all(same), f"the classes are those of before {len(same)}")
    model = json.loads((TMP / "results-again" / "record.json").read_text())["model"]
    check(model["hash"] == record["model"]["hash"], f"by the same model {model['hash']}")
    program.action("set-parameter", "threshold=0.4")
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1] - 100, "key", "shift+p")
    program.settle(0.5)
    height = program.view()[3]
    display.do("key", "shift+v", "key", "F5")
    program.wait("examples that are no objects any more are told", lambda: doubted(program))
    program.settle(0.5)
    display.picture("doubt")
    # A view that grew smaller by it would be analysed anew, without them, and would grow again, for good.
    check(program.view()[3] == height, f"which takes no room from the view: {height}, {program.view()[3]}")
    program.end()


def taught(program, display, key, lesson):
    """A key makes an example, the view is made anew, and its candidates are told again."""
    n_lessons, n_told = len(program.events("lesson")), len(program.events("candidates"))
    display.do("key", key)
    program.wait_more("lesson", n_lessons, f"{key} makes an example")
    check(program.events("lesson")[-1].split()[1] == str(lesson), f"of {lesson}: {program.events('lesson')[-1]}")
    program.wait_more("candidates", n_told, "and the view follows")


def lessons(display, slide):
    """What a nucleus is, taught by keys: the score of nuclei follows; file, batch, rerun and session have the same."""
    state = TMP / "lessons"
    program = Program(display, APP, "--op", "nuclei", "--live", "--zoom", "20", "--centre", "512,512", slide, XDG_STATE_HOME=str(state))
    program.wait("nuclei are chosen by their score", lambda: program.events("run-done"))
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "shift+l")
    program.wait("Shift+L shows what teaches most", lambda: program.events("gallery"))
    program.settle(0.5)
    display.picture("lessons")
    taught(program, display, "2", 1)
    taught(program, display, "1", 0)
    display.do("key", "3")
    program.wait("3 passes over one", lambda: program.events("lesson-passed"))
    program.click(display, "Candidate 1: go there")
    program.settle(1)
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0] + 1, canvas[1] + 1)
    taught(program, display, "alt+n", 1)
    program.wait("the card counts them", lambda: program.labels("Examples: nucleus 1 · not a nucleus 2"))
    program.action("lessons-colour")
    program.settle(0.5)
    display.picture("lessons-taught")
    program.action("lessons-save-to", TMP / "nuclei.model.json")
    program.wait("they are saved", lambda: program.events("lessons-saved"))
    program.action("export-results-to", TMP / "lesson-results")
    program.wait("and the results exported", (TMP / "lesson-results" / "record.json").exists)
    model = json.loads((TMP / "nuclei.model.json").read_text())
    record = json.loads((TMP / "lesson-results" / "record.json").read_text())
    check(record["taught"] == model and len(model["examples"]) == 3 and model["score"] == record["resolved"]["score-model"],
          "the record holds the model, and the score that it is of")
    done = subprocess.run([str(BATCH), "rerun", str(TMP / "lesson-results" / "record.json")], capture_output=True, text=True, timeout=120)
    check(done.returncode == 0 and "every byte is the same" in done.stdout, f"rerun repeats it: {done.stdout} {done.stderr}")
    region = ",".join(map(str, record["region"]))
    done = subprocess.run([str(BATCH), "run", "nuclei", str(slide), "--region", region, "--model", str(TMP / "nuclei.model.json"), "--out", str(TMP / "taught")],
                          capture_output=True, text=True, timeout=120)
    check(done.returncode == 0 and json.loads((TMP / "taught" / "record.json").read_text())["taught"] == model, f"batch runs by the saved model {done.stderr}")
    check(table(TMP / "taught") == table(TMP / "lesson-results"), "and has the objects of the window")
    done = subprocess.run([str(BATCH), "run", "nuclei-threshold", str(slide), "--model", str(TMP / "nuclei.model.json"), "--out", str(TMP / "other")], capture_output=True, text=True)
    check(done.returncode == 2 and "taught on objects of nuclei" in done.stderr, f"another op refuses it: {done.stderr}")
    program.kill()
    program = Program(display, APP, XDG_STATE_HOME=str(state))
    program.wait("the next start offers what was open", lambda: program.events("restore-offered"))
    program.action("restore-last")
    program.wait("it comes back", lambda: program.events("session-restored") and program.events("run-done"))
    program.action("export-results-to", TMP / "lessons-again")
    program.wait("its results are exported", (TMP / "lessons-again" / "record.json").exists)
    check(json.loads((TMP / "lessons-again" / "record.json").read_text()).get("taught") == model, "taught by the same examples")
    program.end()


def doubted(program):
    return program.labels("examples of what is shown are none of its objects")


if __name__ == "__main__":
    main()
