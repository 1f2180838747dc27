# SPDX-License-Identifier: MIT
"""Recipes in the window, with real pointer and key events: one on the command line is an analysis with its own layers and
parameters and makes what vitrail-batch makes; a broken one that is dropped is told with line and column; those that come along are
in the list.
usage: recipes.py VITRAIL VITRAIL-BATCH DEMO-SLIDE-GENERATOR"""
import json
import pathlib
import subprocess
import sys

from desk import TMP, Display, Program, check, finish, need
from drag import end, hold
from stranger import EIGHT, normalised

APP, BATCH, DEMO = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
RECIPES = pathlib.Path(__file__).resolve().parents[2] / "data" / "recipes"


def drop(display, program, file):
    source = hold(display, program, file)
    display.do("mouseup", 1)
    return source


def runs(display, program, file, image):
    """What the window exports equals what vitrail-batch writes."""
    display.do("mousemove", 450, 450, "key", "1")
    program.settle(0.5)
    display.do("key", "F5")
    program.wait("it runs", lambda: any(e.endswith(" strange") for e in program.events("run-start")))
    program.wait("and ends", lambda: program.events("run-done"))
    program.settle()
    check(all(program.accessible(s["id"]).returncode == 0 for s in EIGHT["stages"]), "its stages are layers")
    check(program.events("layers")[-1:] == ["layers objects"], f"the last one is shown {program.events('layers')}")
    check(program.accessible("rise").returncode == 0, "its parameters are widgets")
    display.picture("recipe")
    window, out = TMP / "window-strange", TMP / "batch-strange"
    program.action("export-results-to", window)
    program.wait("results are exported", (window / "record.json").exists)
    record = json.loads((window / "record.json").read_text())
    check(record["recipe"]["id"] == "strange" and len(record["recipe"]["nodes"]) == 10, "the record holds the recipe")
    stages = ",".join(s["id"] for s in record["stages"] if s.get("emitted", True))
    done = subprocess.run([str(BATCH), "run", str(file), str(image), "--stages", stages, "--out", str(out)], capture_output=True,
                          text=True)
    check(done.returncode == 0, f"vitrail-batch runs it {done.stderr}")
    for name in sorted(p.name for p in window.iterdir() if p.name != "record.json"):
        check((out / name).exists() and (window / name).read_bytes() == (out / name).read_bytes(),
              f"{name} of the window equals that of vitrail-batch")


def normalises(display, program, image):
    """Colours that were made are a layer that is called what it is, its value is a colour, and strengths are estimated with the stains."""
    file, window, out = TMP / "normalised.recipe.json", TMP / "window-normalised", TMP / "batch-normalised"
    file.write_text(json.dumps(normalised("eosin")))
    program.action("open-uri", file.as_uri())
    program.wait("a recipe of normalised stains opens", lambda: "recipe-open normalised-eosin" in program.events())
    program.action("estimate-stains")
    told = program.wait("stains are estimated with their strengths", lambda: program.events("stains"))
    check(told and "of strengths" in told[-1], f"which are told {told}")
    count = len(program.events("run-done"))
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "F5")
    program.wait_more("run-done", count, "it runs")
    display.do("key", "shift+s")
    program.settle(0.5)
    program.click(display, "Stage 1 Normalised stains")
    program.wait("its first stage is seen alone", lambda: program.events("layers")[-1:] == ["layers normal"])
    display.do("mousemove", canvas[0] + 3, canvas[1])
    program.wait("what is under the pointer is a colour", lambda: any("Normalised stains RGB" in text for text in program.labels("Normalised stains RGB")))
    display.picture("normalised")
    program.action("export-results-to", window)
    program.wait("results are exported", (window / "record.json").exists)
    record = json.loads((window / "record.json").read_text())
    check(record["params"]["hematoxylin-strength"] != 0.6 and len(record["params"]["hematoxylin"]) == 3, f"the record has the strengths {record['params']}")
    done = subprocess.run([str(BATCH), "run", str(window / "record.json"), str(image), "--out", str(out)], capture_output=True, text=True)
    check(done.returncode == 0, f"vitrail-batch runs the record {done.stderr}")
    for name in ("normal.tif", "stain.tif", "mask.tif"):
        check((out / name).exists() and (window / name).exists() and (window / name).read_bytes() == (out / name).read_bytes(),
              f"{name} of the window equals that of vitrail-batch")


def normalises_first(display, program):
    """Any recipe of hematoxylin and eosin gets the stage by a key; one that measures DAB does not."""
    canvas = program.find("Slide")
    display.do("mousemove", canvas[0], canvas[1], "key", "alt+m")
    program.wait("a recipe that normalises is left as it is", lambda: any("normalised already" in e for e in program.events("error")))
    program.action("open-uri", (RECIPES / "ihc-nuclei.recipe.json").as_uri())
    program.wait("one that measures DAB opens", lambda: "recipe-open ihc-nuclei" in program.events())
    program.action("normalize-stains")
    program.wait("and is refused", lambda: any("DAB is measured" in e for e in program.events("error")))
    program.action("open-uri", (RECIPES / "tissue.recipe.json").as_uri())
    program.wait("another one opens", lambda: program.events("recipe-open")[-1:] == ["recipe-open tissue"])
    count = len(program.events("run-done"))
    display.do("key", "alt+m")
    program.wait("its stains are normalised first", lambda: any(e.startswith("recipe-edit normalize ") and e.endswith(" normalized") for e in program.events()))
    display.do("key", "F5")
    program.wait_more("run-done", count, "it runs")
    program.settle(0.5)
    check(bool(program.labels("Normalised stains")), "and the stage is there")
    display.picture("normalised-first")


def main():
    need("Xvfb", "xdotool", "import", "dbus-run-session", "gdbus", "openslide-write-png")
    slide, image, file, broken = TMP / "demo.svs", TMP / "field.png", TMP / "strange.recipe.json", TMP / "broken.recipe.json"
    subprocess.run([str(DEMO), str(slide), "--size", "2048"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["openslide-write-png", str(slide), "600", "600", "0", "700", "500", str(image)], check=True)
    file.write_text(json.dumps(EIGHT, indent=1))
    broken.write_text(file.read_text().replace('"step": "erode"', '"step": "blur"').replace('"strange"', '"broken"'))
    line = 1 + next(i for i, text in enumerate(broken.read_text().splitlines()) if '"blur"' in text)
    display = Display("vitrail-recipes")
    program = Program(display, APP, image, file, VITRAIL_RECIPE_PATH=str(RECIPES))
    program.wait("the image opens", lambda: program.events("sharp"))
    program.wait("the recipe opens", lambda: "recipe-open strange" in program.events())
    runs(display, program, file, image)
    source = drop(display, program, broken)
    program.wait("a broken recipe is told with its place",
                 lambda: any(f"broken.recipe.json, line {line}, column 4: There is no step" in e for e in program.events("error")))
    program.settle()
    display.picture("recipe-broken")
    end(source)
    source = drop(display, program, RECIPES / "tissue.recipe.json")
    program.wait("one that is there already is chosen", lambda: "recipe-open tissue" in program.events())
    check(len(program.labels("Recipe: Tissue mask")) >= 1, "by its title in the list")
    display.picture("recipe-tissue")
    end(source)
    normalises(display, program, image)
    normalises_first(display, program)
    finish()


if __name__ == "__main__":
    main()
