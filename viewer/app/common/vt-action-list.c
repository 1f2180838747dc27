/* SPDX-License-Identifier: MIT */
#include "common/vt-action-list.h"

#include <glib/gi18n.h>

/* clang-format off */
static const VtActionInfo list[] = {
  { "win.open", N_("Slides"), N_("Open a slide"), { "<Control>o" } },
  { "win.save-session", N_("Slides"), N_("Save the session: slides, views, layers, regions, settings"), { "<Control>s" } },
  { "win.save-session-as", N_("Slides"), N_("Save the session in another file"), { "<Control><Shift>s" } },
  { "win.restore-last", N_("Slides"), N_("Restore what was open when Vitrail ended unexpectedly"), { NULL } },
  { "win.save-picture", N_("Slides"), N_("Save the view as a picture (PNG, PDF, SVG)"), { "<Control>j" } },
  { "win.save-figure", N_("Slides"), N_("Save all views of the tab as a figure at one scale"), { "<Control><Shift>j" } },
  { "win.save-report", N_("Slides"), N_("Report of the selected regions, or of the view, on one page (PDF)"), { "<Control><Alt>j" } },
  { "win.export-bundle", N_("Slides"), N_("Export for a colleague: a folder or a ZIP file that opens elsewhere"), { NULL } },
  { "win.new-tab", N_("Slides"), N_("New tab"), { "<Control>t" } },
  { "win.close-tab", N_("Slides"), N_("Close the slide"), { "<Control>w" } },
  { "win.properties", N_("Slides"), N_("Slide properties"), { "<Alt>Return" } },
  { "app.new-window", N_("Slides"), N_("New window"), { "<Control>n" } },
  { "app.preferences", N_("Slides"), N_("Preferences"), { "<Control>comma", "<Control>p" } },
  { "app.quit", N_("Slides"), N_("Quit"), { "<Control>q" } },
  { "win.zoom-in", N_("View"), N_("Zoom in"), { "equal", "KP_Add", "plus" } },
  { "win.zoom-out", N_("View"), N_("Zoom out"), { "KP_Subtract", "minus" } },
  { "win.zoom-fit", N_("View"), N_("Show the whole slide"), { "KP_0", "0" } },
  { "win.zoom-one", N_("View"), N_("1:1, a slide pixel on each screen pixel"), { "KP_1", "1" } },
  { "win.zoom-two", N_("View"), N_("2:1, slide pixels as squares"), { "KP_2", "2" } },
  { "win.magnification(1.0)", N_("View"), N_("Magnification 1×"), { "<Alt>1" } },
  { "win.magnification(2.5)", N_("View"), N_("Magnification 2.5×"), { "<Alt>2" } },
  { "win.magnification(5.0)", N_("View"), N_("Magnification 5×"), { "<Alt>3" } },
  { "win.magnification(10.0)", N_("View"), N_("Magnification 10×"), { "<Alt>4" } },
  { "win.magnification(20.0)", N_("View"), N_("Magnification 20×"), { "<Alt>5" } },
  { "win.magnification(40.0)", N_("View"), N_("Magnification 40×"), { "<Alt>6" } },
  { "win.turn(90.0)", N_("View"), N_("Turn right by 90°"), { "<Control>r" } },
  { "win.turn(-90.0)", N_("View"), N_("Turn left by 90°"), { "<Control><Shift>r" } },
  { "win.turn(15.0)", N_("View"), N_("Turn right by 15°"), { "<Alt>Right" } },
  { "win.turn(-15.0)", N_("View"), N_("Turn left by 15°"), { "<Alt>Left" } },
  { "win.mirror", N_("View"), N_("Mirror"), { "<Shift>f" } },
  { "win.upright", N_("View"), N_("Upright, as scanned"), { "<Control>0" } },
  { "win.fullscreen", N_("View"), N_("Full screen"), { "F11" } },
  { "win.panes(1)", N_("Panes and Panels"), N_("One view"), { "<Control>1" } },
  { "win.panes(2)", N_("Panes and Panels"), N_("Two views side by side"), { "<Control>2" } },
  { "win.panes(4)", N_("Panes and Panels"), N_("Four views"), { "<Control>4" } },
  { "win.next-pane", N_("Panes and Panels"), N_("Next view"), { "n" } },
  { "win.linked", N_("Panes and Panels"), N_("Views move together"), { "<Control>l" } },
  { "win.colour", N_("Panes and Panels"), N_("Brightness, contrast and colour"), { "<Control>b" } },
  { "win.minimap", N_("Panes and Panels"), N_("Minimap"), { "<Shift>m" } },
  { "win.part(1)", N_("Panes and Panels"), N_("The keyboard goes on to the next part: slide, stages, table, side panel, header bar"), { "F6" } },
  { "win.part(-1)", N_("Panes and Panels"), N_("The keyboard goes back to the part before"), { "<Shift>F6" } },
  { "win.sidebar", N_("Panes and Panels"), N_("Analysis and layers"), { "F9" } },
  { "win.stages", N_("Panes and Panels"), N_("Stages of the analysis"), { "<Shift>s" } },
  { "win.regions", N_("Panes and Panels"), N_("Table of regions"), { "t" } },
  { "win.objects", N_("Panes and Panels"), N_("Table of objects"), { "<Shift>t" } },
  { "win.classes", N_("Panes and Panels"), N_("Classes of objects, taught by examples"), { "<Shift>p" } },
  { "win.intensity", N_("Panes and Panels"), N_("Classes of objects by thresholds: percent positive and H-score"), { "<Shift>i" } },
  { "win.gates", N_("Panes and Panels"), N_("Gates: choices of objects that are kept, with counts"), { "<Control>g" } },
  { "win.palette", N_("Panes and Panels"), N_("Find a command"), { "<Control>k" } },
  { "win.shortcuts", N_("Panes and Panels"), N_("Keyboard shortcuts"), { "<Control>question" } },
  { "win.tool('hand')", N_("Tools"), N_("Move the slide"), { "m", "h" } },
  { NULL, N_("Tools"), N_("While it is held: the bare slide; with a tool that draws, move the slide"), { "space" } },
  { "win.tool('rectangle')", N_("Tools"), N_("Draw a rectangular region"), { "r" } },
  { "win.tool('polygon')", N_("Tools"), N_("Draw a region of any shape"), { "p" } },
  { "win.tool('ellipse')", N_("Tools"), N_("Draw an elliptic region"), { "o" } },
  { "win.tool('brush')", N_("Tools"), N_("Paint a region with a brush"), { "b" } },
  { "win.tool('wand')", N_("Tools"), N_("Wand: a region grows over like values of the layer under the pointer"), { "w" } },
  { "win.tool('line')", N_("Tools"), N_("Draw a line: a drag, or clicks that Return ends"), { "l" } },
  { "win.tool('points')", N_("Tools"), N_("Set points: each click adds one to the selected points, or begins new ones"), { "period" } },
  { "win.corner", N_("Tools"), N_("Draw by keys: a corner at the middle of the view, which arrows move; Return closes a polygon"), { "i" } },
  { "win.snap", N_("Tools"), N_("Corners snap to outlines of regions and objects nearby, or no more"), { "<Alt>s" } },
  { "win.tool('object')", N_("Tools"), N_("Correct: draw an object that was not found"), { "<Shift>d" } },
  { "win.tool('redraw')", N_("Tools"), N_("Correct: draw the selected object anew"), { "<Alt>d" } },
  { "win.tool('split')", N_("Tools"), N_("Correct: split an object along a line"), { "<Shift>x" } },
  { "win.correct-join", N_("Tools"), N_("Correct: join the selected objects"), { "<Shift>u" } },
  { "win.correct-delete", N_("Tools"), N_("Correct: delete the selected objects"), { "<Shift>Delete" } },
  { "win.correct-hold", N_("Tools"), N_("Correct: keep this object selected while others are selected, or let go of it"), { "<Shift>h" } },
  { "win.corrections", N_("Tools"), N_("Corrections of objects by hand: show or hide the card"), { "<Alt>c" } },
  { "win.corrections-forget-lost", N_("Tools"), N_("Forget the corrections that find their objects no more"), { NULL } },
  { "win.escape", N_("Tools"), N_("Leave the tool"), { "Escape" } },
  { "win.delete", N_("Tools"), N_("Delete the selected regions; without any, the selected objects"), { "Delete" } },
  { "win.delete-roi", N_("Tools"), N_("Delete the selected regions"), { NULL } },
  { "win.edit-regions", N_("Tools"), N_("Name, class, colour, lock of the selected regions"), { "F2" } },
  { "win.regions-join", N_("Tools"), N_("Join the selected regions into one"), { NULL } },
  { "win.regions-part", N_("Tools"), N_("Take the selected regions apart, a region for each piece"), { NULL } },
  { "win.regions-split", N_("Tools"), N_("Split the regions along the line that was drawn over them"), { NULL } },
  { "win.regions-simplify", N_("Tools"), N_("Simplify the selected regions: fewer corners, none of the outline moves by more than a pixel of the screen"), { NULL } },
  { "win.regions-tile", N_("Tools"), N_("Tiles as large as the selected region, in the region around it or in what is seen"), { "<Alt>q" } },
  { NULL, N_("Tools"), N_("In the table of regions: unfold the selected rows, or fold them"), { "<Shift>Right", "<Shift>Left" } },
  { "win.undo", N_("Tools"), N_("Undo"), { "<Control>z" } },
  { "win.redo", N_("Tools"), N_("Redo"), { "<Control><Shift>z" } },
  { "win.regions-from-tissue", N_("Tools"), N_("Regions from tissue: leave glass and pen out"), { "<Alt>r" } },
  { "win.run", N_("Analysis"), N_("Run at the pixel size that the parameters ask for"), { "F5" } },
  { "win.run-on('view')", N_("Analysis"), N_("Run on the view"), { "v" } },
  { "win.run-on('regions')", N_("Analysis"), N_("Run on the regions"), { "g" } },
  { "win.run-on('slide')", N_("Analysis"), N_("Run on the whole slide"), { "<Shift>v" } },
  { "win.cancel", N_("Analysis"), N_("Cancel the analysis"), { "<Shift>F5" } },
  { "win.live", N_("Analysis"), N_("Live analysis"), { "<Alt>v" } },
  { "win.texture-settings", N_("Analysis"), N_("Settings of the texture of regions"), { NULL } },
  { "win.estimate-stains", N_("Analysis"), N_("Estimate the stains from the slide's colours"), { NULL } },
  { "win.export-results", N_("Analysis"), N_("Export the results"), { "<Control>e" } },
  { "win.export-layer('')", N_("Analysis"), N_("Export the layer that is seen alone, or the uppermost, as an OME-TIFF"), { "<Control><Alt>e" } },
  { "win.export-rois-csv", N_("Analysis"), N_("Save the regions and their table"), { "<Control><Shift>e" } },
  { "win.import-regions", N_("Analysis"), N_("Open regions or labels of another program"), { "<Control>i" } },
  { "win.import-objects", N_("Analysis"), N_("Open objects of another program with their measurements"), { NULL } },
  { "win.cancel-reading", N_("Analysis"), N_("Stop reading a file"), { NULL } },
  { "win.show-regions", N_("Analysis"), N_("Show or hide the regions"), { "a" } },
  { "win.show-objects", N_("Analysis"), N_("Show or hide the objects"), { "d" } },
  { "win.fill-objects", N_("Analysis"), N_("Fill objects, labels and masks, or only outline them"), { "f" } },
  { "win.same-map", N_("Analysis"), N_("Same map for all slides: of the uppermost layer that has a range, or no more"), { NULL } },
  { "win.next-stage", N_("Analysis"), N_("Next stage alone"), { "bracketright" } },
  { "win.previous-stage", N_("Analysis"), N_("Previous stage alone"), { "bracketleft" } },
  { "win.up-to-stage", N_("Analysis"), N_("All stages up to the one that is seen alone"), { "u" } },
  { "win.stage-pin", N_("Analysis"), N_("Pin the stage that is seen alone as A, then another one as B, to see both; or unpin it"), { "<Alt>a" } },
  { "win.stage-unpin", N_("Analysis"), N_("Unpin both stages"), { NULL } },
  { "win.stage-params", N_("Analysis"), N_("Parameters of the stage that is seen alone: the keyboard goes there"), { "<Alt>e" } },
  { "win.stage-bypass", N_("Analysis"), N_("Recipe: bypass the stage that is seen alone, or end that"), { "<Alt>x" } },
  { "win.stage-remove", N_("Analysis"), N_("Recipe: remove the stage that is seen alone"), { "<Alt>Delete" } },
  { "win.stage-earlier", N_("Analysis"), N_("Recipe: move the stage that is seen alone to an earlier place"), { "<Alt>bracketleft" } },
  { "win.stage-later", N_("Analysis"), N_("Recipe: move the stage that is seen alone to a later place"), { "<Alt>bracketright" } },
  { "win.stage-add", N_("Analysis"), N_("Recipe: add a step after the stage that is seen alone"), { "<Alt>Insert" } },
  { "win.normalize-stains", N_("Analysis"), N_("Recipe: normalise the stains first"), { "<Alt>m" } },
  { "win.save-recipe", N_("Analysis"), N_("Recipe: save it with the present parameters"), { NULL } },
  { NULL, N_("Analysis"), N_("The bare slide while this key is held"), { "s" } },
  { "win.next-object", N_("Analysis"), N_("Next object"), { "greater" } },
  { "win.previous-object", N_("Analysis"), N_("Previous object"), { "less" } },
  { "win.next-unsure", N_("Analysis"), N_("Next object: the one of whose class the examples are least sure"), { "q" } },
  { "win.similar", N_("Analysis"), N_("Find objects that are similar to the selected one, or end that"), { "<Shift>y" } },
  { "win.similar-to-region", N_("Analysis"), N_("Find objects that are similar to the mean of those in the selected regions, or end that"), { "<Control><Shift>y" } },
  { "win.similar-regions", N_("Analysis"), N_("Find regions whose texture is similar to that of the selected one, or end that"), { "<Alt><Shift>y" } },
  { "win.surroundings", N_("Analysis"), N_("Table of objects: columns of Delaunay neighbours and distances to regions, or no more"), { NULL } },
  { "win.gate", N_("Analysis"), N_("Gate: make one of what is chosen on the plot and filtered"), { "<Alt>g" } },
  { "win.gate-quadrants", N_("Analysis"), N_("Gate: make four that meet at the rectangle’s lower left corner"), { NULL } },
  { "win.gate-regions", N_("Analysis"), N_("Gate: make one of each selected region"), { NULL } },
  { "win.gate-colours", N_("Analysis"), N_("Gate: objects in the colours of their gates, or no more"), { NULL } },
  { "win.gate-classes", N_("Analysis"), N_("Gate: objects have their gates as classes, or no more"), { NULL } },
  { "win.gate-edit", N_("Analysis"), N_("Gate: name, colour, place and filter of the chosen one"), { NULL } },
  { "win.gate-delete", N_("Analysis"), N_("Gate: delete the chosen one and those in it"), { NULL } },
  { "win.export-gates", N_("Analysis"), N_("Export the gates as GatingML"), { NULL } },
  { "win.teach(1)", N_("Analysis"), N_("The selected object is an example of class 1, or is none (1 while the classes are seen)"), { NULL } },
  { "win.teach(2)", N_("Analysis"), N_("The selected object is an example of class 2, or is none (2 while the classes are seen)"), { NULL } },
  { "win.teach(3)", N_("Analysis"), N_("The selected object is an example of class 3, or is none (3 while the classes are seen)"), { NULL } },
  { "win.open-model", N_("Analysis"), N_("Open a model of classes"), { NULL } },
  { "win.save-model", N_("Analysis"), N_("Save the model of classes"), { NULL } },
  { "win.intensity-undo", N_("Analysis"), N_("Undo the last change of the thresholds of classes"), { NULL } },
  { "win.pin", N_("Analysis"), N_("Pin what is shown, to see what the next change does"), { "c" } },
  { "win.wipe", N_("Analysis"), N_("Wipe: the pin and what is shown now, or two pinned stages, on two sides of a line (P there pauses the pin)"), { "<Shift>w" } },
  { "win.wipe-difference", N_("Analysis"), N_("Wipe: the difference of both pictures, or the line again"), { "<Control>d" } },
  { "win.wipe-pause", N_("Analysis"), N_("Wipe: pause the pin, which keeps its picture, or let it go on (P while the line is seen)"), { NULL } },
  { "win.compare-beside", N_("Analysis"), N_("Compare side by side: the pin in a second view that moves with this one"), { "<Control><Alt>w" } },
  { "win.wipe-centre", N_("Analysis"), N_("Wipe: bring the line to the pointer (Shift+F, too, while it is seen)"), { "<Alt>w" } },
  { "win.wipe-swap", N_("Analysis"), N_("Wipe: exchange the sides"), { NULL } },
  { NULL, N_("Analysis"), N_("Wipe: exchange the sides, with the keyboard on the slide"), { "Return" } },
  { "win.wipe-move(-32.0)", N_("Analysis"), N_("Wipe: move the line left or up"), { "<Control>Left" } },
  { "win.wipe-move(32.0)", N_("Analysis"), N_("Wipe: move the line right or down"), { "<Control>Right" } },
  { "win.wipe-turn(-15.0)", N_("Analysis"), N_("Wipe: turn the line left"), { "<Control><Shift>Left" } },
  { "win.wipe-turn(15.0)", N_("Analysis"), N_("Wipe: turn the line right"), { "<Control><Shift>Right" } },
  { "win.wipe-dissolve(-0.1)", N_("Analysis"), N_("Wipe: less of the pin on its side"), { "<Control>Down" } },
  { "win.wipe-dissolve(0.1)", N_("Analysis"), N_("Wipe: more of the pin on its side"), { "<Control>Up" } },
  { NULL, N_("Analysis"), N_("Show the pin alone while this key is held (B, too, while the wipe’s line is seen)"), { "x" } },
  { "win.snapshot-keep", N_("Analysis"), N_("Snapshots: keep the present parameters"), { "k" } },
  { "win.snapshots", N_("Analysis"), N_("Snapshots: show or hide the list"), { "<Shift>k" } },
  { "win.snapshot-next", N_("Analysis"), N_("Snapshots: compare with the next one"), { "<Alt>k" } },
  { "win.curve", N_("Analysis"), N_("Curve of the parameter that has the keyboard: objects and score along its slider"), { "<Alt>j" } },
  { "win.several-values", N_("Analysis"), N_("Several values of the parameter that has the keyboard: columns of each in the table of regions, or one value again"), { "<Control><Alt>v" } },
  { "win.grid", N_("Analysis"), N_("Small pictures of the view over two parameters"), { "<Shift>g" } },
  { "win.search", N_("Analysis"), N_("Search for the parameters that agree best with the truth"), { "<Shift>b" } },
  { "win.review", N_("Analysis"), N_("Review the objects, those first that flip most easily"), { "<Shift>r" } },
  { "win.review-accept", N_("Analysis"), N_("Review: accept the object (1 while its card is seen)"), { NULL } },
  { "win.review-reject", N_("Analysis"), N_("Review: reject the object (2 while its card is seen)"), { NULL } },
  { "win.review-fix", N_("Analysis"), N_("Review: correct the object (3 while its card is seen)"), { NULL } },
  { "win.review-next", N_("Analysis"), N_("Review: next object"), { "j" } },
  { "win.review-previous", N_("Analysis"), N_("Review: previous object"), { "<Shift>j" } },
  { "win.review-colour", N_("Analysis"), N_("Colour the objects by how easily they flip"), { NULL } },
  { "win.refused", N_("Analysis"), N_("Show or hide the candidates that were refused, by reason"), { "<Shift>e" } },
  { "win.refused-next", N_("Analysis"), N_("Next refused candidate of the same reason"), { "e" } },
  { "win.lessons", N_("Analysis"), N_("Teach what a nucleus is: pictures of the candidates that teach most, or end that"), { "<Shift>l" } },
  { "win.lesson-here(1)", N_("Analysis"), N_("Teach: the candidate under the pointer is a nucleus, or no example"), { "<Shift>n" } },
  { "win.lesson-here(2)", N_("Analysis"), N_("Teach: the candidate under the pointer is not a nucleus, or no example"), { "<Alt>n" } },
  { "win.lesson(1)", N_("Analysis"), N_("Teach: the first picture is a nucleus (1 while they are seen)"), { NULL } },
  { "win.lesson(2)", N_("Analysis"), N_("Teach: the first picture is not a nucleus (2 while they are seen)"), { NULL } },
  { "win.lesson(3)", N_("Analysis"), N_("Teach: pass over the first picture (3 while they are seen)"), { NULL } },
  { "win.lessons-corrections", N_("Analysis"), N_("Teach: what was corrected by hand here"), { "<Alt>u" } },
  { "win.lessons-open", N_("Analysis"), N_("Teach: open examples"), { NULL } },
  { "win.lessons-save", N_("Analysis"), N_("Teach: save the examples"), { NULL } },
  { "win.lessons-forget", N_("Analysis"), N_("Teach: forget all examples"), { NULL } },
  { "win.lessons-colour", N_("Analysis"), N_("Colour the objects by how sure their choice is"), { NULL } },
  { "win.compare-with", N_("Analysis"), N_("Compare the objects with outlines or points of a file"), { "<Shift>c" } },
  { "win.compare-with-points", N_("Analysis"), N_("Compare the objects with the points that are drawn, one in each true object"), { NULL } },
  { "win.compare-within", N_("Analysis"), N_("The truth is complete in the regions alone, or everywhere"), { NULL } },
  { "win.compare-all", N_("Analysis"), N_("Compare all that was analysed, or what is visible alone"), { NULL } },
  { "win.compare-end", N_("Analysis"), N_("Stop comparing"), { NULL } },
  { "win.prove", N_("Analysis"), N_("The same answer with other tiles, threads and devices?"), { NULL } },
  { "win.why", N_("Analysis"), N_("Why is it, or is it not, an object here?"), { "y" } },
  { "win.why-steps", N_("Analysis"), N_("Why: the value of every step there, also of those that no stage shows"), { "<Alt>y" } },
  { "win.player", N_("Analysis"), N_("Replay: play how the stage that is seen came about, or close it"), { "<Shift>a" } },
  { "win.player-play", N_("Analysis"), N_("Replay: play or pause"), { "<Alt>p" } },
  { "win.player-step(-1)", N_("Analysis"), N_("Replay: one moment back"), { "<Alt>comma" } },
  { "win.player-step(1)", N_("Analysis"), N_("Replay: one moment on"), { "<Alt>period" } },
  { "win.player-event(-1)", N_("Analysis"), N_("Replay: to where seeds begin or meet before"), { "<Control><Alt>comma" } },
  { "win.player-event(1)", N_("Analysis"), N_("Replay: to where seeds begin or meet next"), { "<Control><Alt>period" } },
  { "win.player-again", N_("Analysis"), N_("Replay: make it again, of what is seen now"), { NULL } },
  { "win.save-replay", N_("Analysis"), N_("Replay: save it as numbered pictures in a folder"), { NULL } },
  { "win.texture", N_("Analysis"), N_("Texture: run lengths of the selected region or under the pointer, or close them"), { "<Alt>t" } },
  { "win.texture-lens", N_("Analysis"), N_("Texture: a lens under the pointer, or the selected region"), { "<Alt>l" } },
  { "win.texture-hold", N_("Analysis"), N_("Texture: hold the lens where it is, or let it go"), { "<Alt>h" } },
  { "win.texture-pin", N_("Analysis"), N_("Texture: pin what is looked at, to compare with it, or drop it"), { "<Alt>b" } },
  { "win.texture-size(1)", N_("Analysis"), N_("Texture: a lens twice as large"), { NULL } },
  { "win.texture-size(-1)", N_("Analysis"), N_("Texture: a lens half as large"), { NULL } },
  { "win.unselect-object", N_("Analysis"), N_("Unselect the object"), { NULL } },
  { "win.retry", N_("Analysis"), N_("Read unreadable tiles again"), { NULL } },
};
/* clang-format on */

const VtActionInfo *
vt_action_list_get(guint *n)
{
  *n = G_N_ELEMENTS(list);
  return list;
}

GtkEventController *
vt_action_list_new_shortcuts(void)
{
  GtkEventController *keys = gtk_shortcut_controller_new();
  for (guint i = 0; i < G_N_ELEMENTS(list); i++) {
    g_autofree char *name = NULL;
    g_autoptr(GVariant) target = NULL;
    g_autoptr(GError) error = NULL;
    if (!list[i].action)
      continue;
    if (!g_action_parse_detailed_name(list[i].action, &name, &target, &error))
      g_error("%s", error->message);
    for (guint k = 0; k < G_N_ELEMENTS(list[i].triggers) && list[i].triggers[k]; k++) {
      GtkShortcutTrigger *trigger = gtk_shortcut_trigger_parse_string(list[i].triggers[k]);
      GtkShortcut *shortcut = gtk_shortcut_new(trigger, gtk_named_action_new(name));
      gtk_shortcut_set_arguments(shortcut, target);
      gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys), shortcut);
    }
  }
  return keys;
}

const char *
vt_action_info_get_trigger(const VtActionInfo *info)
{
  const char *shown = NULL;
  for (guint k = 0; k < G_N_ELEMENTS(info->triggers) && info->triggers[k]; k++)
    shown = info->triggers[k];
  return shown;
}

char *
vt_action_info_dup_key(const VtActionInfo *info, GtkWidget *widget)
{
  const char *shown = vt_action_info_get_trigger(info);
  g_autoptr(GtkShortcutTrigger) trigger = shown ? gtk_shortcut_trigger_parse_string(shown) : NULL;
  return trigger ? gtk_shortcut_trigger_to_label(trigger, gtk_widget_get_display(widget)) : NULL;
}

gboolean
vt_action_get_number(GVariant *parameter, double least, double most, double *number)
{
  *number = g_variant_get_double(parameter);
  return *number >= least && *number <= most; /* not a number: neither */
}
