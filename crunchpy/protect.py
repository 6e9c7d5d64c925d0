"""What no plugin and no settings file may remove, and why (docs/decisions/0003).

Two kinds. A *zone* stays with all that is in it: the h1, form controls with their labels, small forms whole, skip
links, live regions. A *shell* stays itself, while clutter inside it may go: `main`, `article` or `role=main` that
hold most of the text.
"""

from __future__ import annotations

from crunchpy.page import Page
from crunchpy.tree import Element

# A form of more words is most likely wrapped round a whole page (ASP.NET does so); then its controls and labels are
# kept.
_SMALL_FORM_WORDS = 200
# Skip links stand first in a page; later in-page links are tables of contents and the like.
_FIRST_LINKS = 5
_LIVE_ROLES = frozenset(("alert", "log", "status", "timer"))
_SKIP_WORDS = frozenset(("skip", "skiplink", "skiplinks", "skipnav"))


class Protection:
    """The protected elements of one page.

    `zones` and `shells` map a protected element to the reason; `holders` are the elements around them, which can only
    be removed by removing what lies beside the protected ones. `form_zones` are the ones that a consent banner may
    take along.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._half_words = page.total.words / 2
        self.zones: dict[Element, str] = {}
        self.shells: dict[Element, str] = {}
        self.form_zones: set[Element] = set()
        self._find_heading()
        self._find_forms()
        self._find_controls()
        self._find_skip_links()
        self._find_live_regions()
        self._find_shells()
        self.holders = {around for element in (*self.zones, *self.shells) for around in element.iterancestors()}

    def reason(self, element: Element, *, controls_go: bool = False) -> str | None:
        """Why an element may not be removed at all; None where it may, or where what is beside a protected part may."""
        if element in self.shells and not (controls_go and element in self.form_zones):
            return self.shells[element]
        for around in (element, *element.iterancestors()):
            if around in self.zones and not (controls_go and around in self.form_zones):
                return self.zones[around]
        return None

    def holds(self, element: Element, *, controls_go: bool = False) -> bool:
        """Whether something protected lies below an element."""
        if element not in self.holders:
            return False
        if not controls_go:
            return True
        inside = set(element.iter("*"))
        return any(zone in inside for zone in (*self.zones, *self.shells) if zone not in self.form_zones)

    def _find_heading(self) -> None:
        if (heading := self._page.main_heading) is not None:
            self.zones[heading] = "is the main heading"

    def _find_forms(self) -> None:
        for form in self._page.elements("form"):
            words = self._page.counts(form).words
            if words > min(_SMALL_FORM_WORDS, self._half_words):
                self.shells[form] = "is a form round much text"
            elif _works(form):
                self.zones[form] = "is a form"
            if words <= self._half_words:
                self.form_zones.add(form)

    def _find_controls(self) -> None:
        labels = self._page.elements("label")
        for control in self._page.elements("input", "select", "textarea", "button"):
            if control.tag == "button" and not _in_form(control):
                continue  # it belongs to a script: menus, banners and share bars are full of such buttons
            if self._page.is_hidden(control) or (_is_disabled(control) and not self._may_be_enabled(control)):
                continue
            self._protect_control(control)
        for label in labels:
            target = self._page.ids.get(label.get("for", ""))
            if target in self.form_zones and not self._page.is_hidden(label):
                self.zones[label] = "is the label of a form control"
                self.form_zones.add(label)

    def _may_be_enabled(self, control: Element) -> bool:
        """Forms disable their submit button until they are filled in; a form with nothing to fill in never will."""
        form = next(control.iterancestors("form"), None)
        return form is not None and (form in self.zones or form in self.shells)

    def _protect_control(self, control: Element) -> None:
        self.zones[control] = "is a form control"
        self.form_zones.add(control)
        label = next((around for around in control.iterancestors("label")), None)
        if label is not None:
            self.zones[label] = "is the label of a form control"
            self.form_zones.add(label)

    def _find_skip_links(self) -> None:
        links = self._page.elements("a")
        classes = self._page.by_value("class").items()
        may_skip = ((names.lower(), ns) for names, ns in classes if "skip" in names.lower())
        skips = (n for names, ns in may_skip if not _SKIP_WORDS.isdisjoint(names.split()) for n in ns)
        named = [e for n in skips if (e := self._page.element(n)) is not None and e.tag == "a"]
        for link in (*links[:_FIRST_LINKS], *named):
            target = link.get("href", "")
            if len(target) > 1 and target.startswith("#") and target[1:] in self._page.ids:
                self.zones[link] = "is a skip link"

    def _find_live_regions(self) -> None:
        for region in (
            *(element for _, element, _ in self._page.with_attribute("aria-live")),
            *self._page.with_role(_LIVE_ROLES),
            *self._page.elements("output"),
        ):
            if self._is_live(region) and self._page.counts(region).words < self._half_words:
                self.zones[region] = "is a live region"
                self.form_zones.add(region)

    @staticmethod
    def _is_live(region: Element) -> bool:
        if (live := region.get("aria-live")) is not None:
            return live in ("polite", "assertive")
        return region.tag == "output" or region.get("role") in _LIVE_ROLES

    def _find_shells(self) -> None:
        named = self._page.with_role(frozenset(("main",)))
        for element in (*self._page.elements("main", "article"), *named):
            if self._page.counts(element).words > self._half_words:
                self.shells[element] = f"is the {element.get('role') or element.tag} with most of the text"


def _works(form: Element) -> bool:
    """Whether a form can be filled in or sent. Hidden fields count: a script sends those, such as "Log out"."""
    return any(not _is_disabled(control) for control in form.iter("input", "select", "textarea", "button"))


def _is_disabled(control: Element) -> bool:
    return control.get("disabled") is not None or any(
        around.get("disabled") is not None for around in control.iterancestors("fieldset")
    )


def _in_form(control: Element) -> bool:
    return control.get("form") is not None or next(control.iterancestors("form"), None) is not None
