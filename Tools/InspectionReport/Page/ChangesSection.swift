import ChangeTracking

/// The newest sets, each of which opens to the changes in it.
struct ChangesSection {
  /// `nil` if they could not be opened.
  let sets: [ReportSet]?
  let names: AuthorNames

  var markup: Markup {
    guard let sets else {
      return "<p>The sets are encrypted, and no password that opens them was given.</p>"
    }
    guard !sets.isEmpty else { return "<p>There is no set that can be read.</p>" }
    let items = sets.map { set -> Markup in
      let count = set.changes.count + set.hiddenChanges
      let rest: Markup =
        set.hiddenChanges > 0
        ? "<p>\(set.hiddenChanges) more; <code>ticds-inspect changes</code> lists all.</p>" : ""
      return """
        <details><summary><time>\(Wording.time(milliseconds: set.time.milliseconds))</time> <b>\(names[set.author])</b> \
        set \(set.sequence) of \(set.document) <span class="count">\(Wording.count(count, "change", "changes"))</span></summary>
        <p class="path">\(set.path.description)</p>
        <div class="scroll" tabindex="0" role="region" aria-label="Changes of set \(set.sequence) of \(names[set.author])"><table>
        <thead><tr><th scope="col">What</th><th scope="col">Entity</th><th scope="col">Object</th><th scope="col">Property</th><th scope="col">Value</th></tr></thead>
        <tbody>
        \(Markup.joined(set.changes.map(row)))</tbody></table></div>\(rest)</details>

        """
    }
    return """
      <p>The newest \(Wording.count(sets.count, "set", "sets")); each opens to its changes. \
      <code>ticds-inspect changes</code> lists those of all sets, and <code>history</code> what became of one object.</p>
      <form class="filter" data-filter="set-list" hidden>
      <label>Show sets containing <input name="text" type="search" autocomplete="off"></label>
      <button type="button" data-open="set-list">Open all</button> <button type="button" data-close="set-list">Close all</button>
      <output aria-live="polite"></output>
      </form>
      <div id="set-list" class="list">
      \(Markup.joined(items))</div>
      """
  }

  private func row(_ change: ReportChange) -> Markup {
    """
    <tr><td>\(words(change.kind))</td><td>\(change.entity)</td><td class="path">\(change.object)</td>\
    <td>\(change.property ?? "")</td><td class="value">\(change.value ?? "")</td></tr>

    """
  }

  private func words(_ kind: SyncChange.Kind) -> Markup {
    switch kind {
    case .objectInserted: "inserted"
    case .attributeChanged: "written"
    case .toOneChanged: "target set"
    case .toManyAdded: "target added"
    case .toManyRemoved: "target removed"
    case .objectDeleted: "deleted"
    case .memberPlaced: "place set"
    case .valueContributed: "contributed"
    }
  }
}
