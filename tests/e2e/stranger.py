# SPDX-License-Identifier: MIT
"""A recipe of eight steps that nobody of this tree has."""

EIGHT = {
    "vitrail-recipe": 1, "id": "strange", "title": "A stranger's", "version": "1",
    "inputs": [{"id": "image", "kind": "image", "primary": True}],
    "params": [
        {"key": "pixel-size", "type": "float", "unit": "µm", "min": 0.1, "max": 100, "default": 0.5,
         "unit-uncalibrated": "px", "default-uncalibrated": 1},
        {"key": "radius", "type": "float", "unit": "µm", "min": 0, "max": 100, "default": 4},
        {"key": "rise", "type": "float", "unit": "OD", "min": 0, "max": 6, "default": 0.1},
        {"key": "white", "type": "vector", "min": 1, "max": 255, "default": [255, 255, 255]}],
    "nodes": [
        {"id": "pixels", "step": "read", "inputs": ["image"]},
        {"id": "density", "step": "channel", "inputs": ["pixels"], "settings": {"channel": "'od-sum'"}, "stage": "density"},
        {"id": "smoothed", "step": "smooth", "inputs": ["density"], "settings": {"sigma": "1 / um-per-px"}},
        {"id": "eroded", "step": "erode", "inputs": ["smoothed"], "settings": {"radius": "round(radius / um-per-px)"},
         "facts": {"radius-px": "round(radius / um-per-px)"}},
        {"id": "opened", "step": "reconstruct", "inputs": ["eroded", "smoothed"], "settings": {"connectivity": 8}},
        {"id": "residue", "step": "subtract", "inputs": ["smoothed", "opened"], "stage": "residue"},
        {"id": "mask", "step": "above", "inputs": ["residue"], "settings": {"threshold": "round(rise / scale(residue))"},
         "stage": "mask"},
        {"id": "pieces", "step": "components", "inputs": ["mask"], "settings": {"connectivity": 8}},
        {"id": "labels", "step": "objects", "inputs": ["pieces", "density", "opened"],
         "settings": {"min-area": 4, "max-area": "infinity", "max-background": "infinity"}, "stage": "labels",
         "facts": {"objects": "count(labels)"}},
        {"id": "outlines", "step": "outlines", "inputs": ["labels"], "stage": "objects"}],
    "stages": [
        {"id": "density", "kind": "scalar", "unit": "OD"}, {"id": "residue", "kind": "scalar", "unit": "OD"},
        {"id": "mask", "kind": "mask"}, {"id": "labels", "kind": "labels"}, {"id": "objects", "kind": "objects"}],
    "measurements": [{"name": "Spot: Area px^2", "quantity": "area", "unit": "1"}],
}


def normalised(second):
    """A mask of the second stain, eosin or dab, after normalisation."""
    stains = {"hematoxylin": [0.65, 0.70, 0.29], second: [0.2159, 0.8012, 0.5581], "reference-hematoxylin": [0.5626, 0.7201, 0.4062],
              f"reference-{second}": [0.2159, 0.8012, 0.5581]}
    strengths = {"hematoxylin-strength": 0.6, f"{second}-strength": 0.3}
    return {"vitrail-recipe": 1, "id": f"normalised-{second}", "title": "Normalised first", "inputs": EIGHT["inputs"],
            "params": [*EIGHT["params"], *({"key": key, "type": "vector", "min": -1, "max": 1, "default": vector} for key, vector in stains.items()),
                       *({"key": key, "type": "float", "min": 0.01, "max": 5, "default": value} for key, value in strengths.items())],
            "nodes": [{"id": "pixels", "step": "read", "inputs": [EIGHT["inputs"][0]["id"]]},
                      {"id": "normal", "step": "normalize", "inputs": ["pixels"], "stage": "normal",
                       "settings": {"hematoxylin": "hematoxylin-strength", "other": f"{second}-strength", "reference-hematoxylin": 0.856,
                                    "reference-other": 0.448}},
                      {"id": "stain", "step": "channel", "inputs": ["normal"], "settings": {"channel": f"'{second}'"}, "stage": "stain"},
                      {"id": "mask", "step": "above", "inputs": ["stain"], "settings": {"threshold": "0.2 / scale(stain)"}, "stage": "mask"}],
            "stages": [{"id": "normal", "kind": "colour", "title": "Normalised stains"}, {"id": "stain", "kind": "scalar", "unit": "OD"},
                       {"id": "mask", "kind": "mask", "shown": True}]}
