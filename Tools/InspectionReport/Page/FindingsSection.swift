import Inspection

/// What is wrong, the worst first, and what to do about it.
struct FindingsSection {
  let verification: Verification

  var markup: Markup {
    guard !verification.findings.isEmpty else {
      return "<p>\(looked) Nothing was found.</p>"
    }
    let sorted = verification.findings.sorted { rank($0.severity) < rank($1.severity) }
    let shown = sorted.prefix(PageLimits.findings)
    let rows = shown.map { finding -> Markup in
      """
      <tr data-severity="\(finding.severity.rawValue)"><td><span class="badge \(finding.severity.rawValue)">\(finding.severity.rawValue)</span></td>\
      <th scope="row"><code>\(finding.code.rawValue)</code></th><td class="path">\(finding.path)</td><td>\(finding.message)</td><td>\(finding.next)</td></tr>

      """
    }
    let hidden = sorted.count - shown.count
    let rest: Markup =
      hidden > 0
      ? "<p>\(hidden) more are not listed here; <code>ticds-inspect verify</code> lists all.</p>" : ""
    return """
      <p>\(looked) \(counts)</p>
      <form class="filter" data-filter="finding-rows" hidden>
      <label>Show <select name="severity"><option value="">all severities</option><option value="error">errors</option>\
      <option value="warning">warnings</option><option value="hint">hints</option></select></label>
      <label>containing <input name="text" type="search" autocomplete="off"></label>
      <output aria-live="polite"></output>
      </form>
      \(codes)
      <div class="scroll" tabindex="0" role="region" aria-label="Findings, one by one"><table class="findings">
      <caption>One by one</caption>
      <thead><tr><th scope="col">Severity</th><th scope="col">Code</th><th scope="col">Where</th>\
      <th scope="col">What was found</th><th scope="col">What to do</th></tr></thead>
      <tbody id="finding-rows">
      \(Markup.joined(rows))</tbody></table></div>
      \(rest)
      """
  }

  private func rank(_ severity: Finding.Severity) -> Int {
    switch severity {
    case .error: 0
    case .warning: 1
    case .hint: 2
    }
  }

  private var looked: Markup {
    let locked: Markup =
      verification.locked == 0
      ? ""
      : " The content of \(verification.locked) encrypted files was not looked at; a password opens them."
    return """
      Checked were \(Wording.count(verification.sets, "set", "sets")), \
      \(Wording.count(verification.longValues, "long value", "long values")), \
      \(Wording.count(verification.wholeStores, "whole store", "whole stores")) and \
      \(Wording.count(verification.heads, "head", "heads")) \
      of \(Wording.count(verification.documents, "document", "documents")).\(locked)
      """
  }

  private var counts: Markup {
    func number(_ severity: Finding.Severity) -> Int {
      verification.findings.count { $0.severity == severity }
    }
    return """
      There are \(Wording.count(number(.error), "error", "errors")), \
      \(Wording.count(number(.warning), "warning", "warnings")) and \(Wording.count(number(.hint), "hint", "hints")).
      """
  }

  /// The number of findings of each code, which tells more than a list of thousands.
  private var codes: Markup {
    let groups = Dictionary(grouping: verification.findings, by: \.code).sorted {
      (rank($0.key.severity), -$0.value.count, $0.key.rawValue)
        < (rank($1.key.severity), -$1.value.count, $1.key.rawValue)
    }
    let items = groups.map { code, findings -> Markup in
      """
      <li><span class="badge \(code.severity.rawValue)">\(code.severity.rawValue)</span> <code>\(code.rawValue)</code> \
      <span class="number">\(findings.count)</span></li>
      """
    }
    return "<ul class=\"codes\" aria-label=\"Findings by code\">\(Markup.joined(items))</ul>"
  }
}
