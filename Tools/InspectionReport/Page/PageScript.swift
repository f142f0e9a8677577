/// What a page can do with scripts: filter lists, and open and close all of them. Without scripts the controls stay hidden.
enum PageScript {
  static let markup = Markup(stringLiteral: source)

  static let source: StaticString = """

    "use strict";
    for (const form of document.querySelectorAll("form.filter")) {
      form.hidden = false;
      form.addEventListener("submit", event => event.preventDefault());
      const list = document.getElementById(form.dataset.filter);
      if (!list) continue;
      const items = Array.from(list.children, element => ({ element, text: element.textContent.toLowerCase() }));
      const output = form.querySelector("output");
      form.addEventListener("input", () => {
        const text = form.elements.text.value.trim().toLowerCase();
        const severity = form.elements.severity ? form.elements.severity.value : "";
        let shown = 0;
        for (const item of items) {
          const fits = item.text.includes(text) && (!severity || item.element.dataset.severity === severity);
          item.element.hidden = !fits;
          if (fits) shown += 1;
        }
        output.textContent = shown + " of " + items.length + " shown";
      });
    }
    document.addEventListener("click", event => {
      const button = event.target.closest("button[data-open], button[data-close]");
      if (!button) return;
      const list = document.getElementById(button.dataset.open || button.dataset.close);
      for (const details of list.querySelectorAll("details")) details.open = "open" in button.dataset;
    });

    """
}
