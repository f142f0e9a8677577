import SyncProtocol

/// What was named as a source and gives nothing: said, with the reason as far as it shows, for nobody else would notice.
extension RepairPlanner {
  /// A sentence for each source that gives nothing.
  func idleSources() -> [String] {
    // Who has lost nothing needs nothing; but who has named the wrong source is told before he needs it.
    guard applications.isEmpty || verification.findings.contains(where: { $0.severity != .hint }) else {
      return [strangeCopy(), strangeStore()].compactMap { $0 }
    }
    return [idleCopy(), idleStore()].compactMap { $0 }
  }

  private func strangeCopy() -> String? {
    guard let other, !applications.isEmpty, !applications.contains(where: other.isSame) else { return nil }
    return
      "The copy gives nothing: it is one of another remote, whose founding records are others. Name a copy of this one."
  }

  private func strangeStore() -> String? {
    guard let kept, !documents.values.contains(where: kept.knows) else { return nil }
    return
      "The store gives nothing: it keeps none of the sets that lie here, so it is that of another document, or its device has pushed nothing here. Name the store of a device of this document."
  }

  private func idleCopy() -> String? {
    guard let other, !plan.actions.contains(where: { $0.change == .write(.fromOther) }) else { return nil }
    if let strange = strangeCopy() { return strange }
    let same = applications.filter(other.isSame)
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
    guard kept != nil, !isStoreUsed else { return nil }
    if let strange = strangeStore() { return strange }
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
