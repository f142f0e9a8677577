import SyncProtocol

/// What was named as a source and gives nothing: said, with the reason as far as it shows, for nobody else would notice.
extension RepairPlanner {
  /// A sentence for each source that gives nothing.
  func idleSources() -> [String] {
    // Who has lost nothing needs nothing.
    guard applications.isEmpty || verification.findings.contains(where: { $0.severity != .hint }) else {
      return []
    }
    return [idleCopy(), idleStore()].compactMap { $0 }
  }

  private func idleCopy() -> String? {
    guard let other, !plan.actions.contains(where: { $0.change == .write(.fromOther) }) else { return nil }
    let same = applications.filter(other.isSame)
    guard !same.isEmpty || applications.isEmpty else {
      return
        "The copy gives nothing: it is one of another remote, whose founding records are others. Name a copy of this one."
    }
    if !other.locked.isEmpty {
      return
        "The copy gives nothing: it is encrypted and was opened without its password. Name that with --password-file."
    }
    let strangers = documents.values.filter {
      same.map(\.hierarchy.root).contains($0.application.hierarchy.root)
    }
    .filter { !other.isSame($0) }.map(\.hierarchy.document.description).sorted()
    if !strangers.isEmpty {
      let names = strangers.prefix(3).map { "“\($0)”" }.joined(separator: ", ")
      return
        "The copy gives nothing: it does not have the document \(names), or another one of that name. Name a copy that has it."
    }
    if other.damaged > 0 {
      return
        "The copy gives nothing: \(other.damaged) of its files are damaged themselves, and nothing that is missing here is whole there. Name another copy."
    }
    return "The copy gives nothing: it has nothing that is missing here. If something is, name another copy."
  }

  private func idleStore() -> String? {
    guard let kept, !isStoreUsed else { return nil }
    guard documents.values.contains(where: kept.knows) else {
      return
        "The store gives nothing: it keeps none of the sets that lie here, so it is that of another document, or its device has pushed nothing here. Name the store of a device of this document."
    }
    return
      "The store gives nothing: it keeps only the newest sets and long values that its own device has pushed, and none that is missing here. Name the store of another device."
  }
}

extension Finding.Code {
  /// Whether it is about what a file holds.
  var tellsOfContent: Bool {
    [
      .damagedFile, .fileReplaced, .notAuthentic, .undecodable, .misplaced, .notSealed, .tooLarge,
      .headContradicts, .wholeStoreDamaged,
    ]
    .contains(self)
  }
}
