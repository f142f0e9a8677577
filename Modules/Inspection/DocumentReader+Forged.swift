import ChangeTracking
import SyncProtocol

/// Names that no member of the document has written, as far as the keys at hand tell.
extension DocumentReader {
  /// A name and where it lies.
  typealias NamedFile = (name: any CodedName, file: RemotePath)

  /// Whether nobody who has the keys at hand has written a name.
  func isForged(_ name: any CodedName) -> Bool { isGenuine(name) == false }

  /// What is said of such names: of each in which other document a member has written it, or what to do about it. Those that may be of devices
  /// with a key that is not at hand have one cause, and are told of together.
  func forged(_ names: [NamedFile], among documents: [DocumentReader]) -> [Finding] {
    var findings: [Finding] = []
    var unknown: [RemotePath] = []
    for (name, file) in names {
      if let finding = ofOtherDocument(name, file, among: documents) {
        findings.append(finding)
      } else {
        unknown.append(file)
      }
    }
    guard let first = unknown.min() else { return findings }
    if unknown.count > 1, lacksKeyOfFounding {
      findings.append(
        Finding(
          .forgedName, path: first.description,
          message:
            "\(unknown.count) names, this one among them, were written by nobody who has the keys at hand; devices that have no other keys ignore them.",
          next: forgedAdvice))
      return findings
    }
    let advice = forgedAdvice
    return findings
      + unknown.map {
        Finding(
          .forgedName, path: $0.description,
          message: "Nobody who has the keys at hand has written this name; devices ignore it.", next: advice)
      }
  }

  private func ofOtherDocument(
    _ name: some CodedName, _ file: RemotePath, among documents: [DocumentReader]
  ) -> Finding? {
    let owner = documents.first {
      $0.hierarchy.root != hierarchy.root && $0.protection?.verifies(name) == true
    }
    guard let owner, let folder = file.parent?.name, let name = file.name else { return nil }
    return Finding(
      .forgedName, path: file.description,
      message:
        "A member of the document “\(owner.hierarchy.document)” has written it; devices of this one ignore it.",
      next:
        "If it is not there, move it where it belongs: “\(owner.hierarchy.root.appending(folder).appending(name))”."
    )
  }

  /// What to do about a name that nobody known has written: where a founding record is missing, it may be of the devices of that.
  private var forgedAdvice: String {
    lacksKeyOfFounding
      ? "Leave it: a founding record names a key that is not at hand, and this may be of its devices. If that key is lost for good, remove these devices from the document."
      : lacksFounding
        ? "First put back the founding record that is missing, or sync a device, for this may be of its devices; then verify again."
        : "Remove it, unless devices with another password created the document at the same time."
  }

  /// The authors of heads that nobody who has the keys at hand has written, where a key is not at hand.
  var authorsOfOtherKeys: Set<AuthorID> {
    guard lacksKeyOfFounding else { return [] }
    return Set(heads.filter { isGenuine($0) == false }.map(\.author))
  }

  /// Whether a founding record cannot be told from a forged one, because its key is late, lost, or that of another password.
  var lacksKeyOfFounding: Bool {
    guard let ring = application.keys.ring else { return false }
    // After the keys were replaced a document keeps the founding of before.
    if application.foundedKeys.contains(where: { ring[$0] == nil }) { return true }
    return entries.contains { node in
      if case .founding(let name) = node.roleOfName {
        name.key.map { ring[$0] == nil } ?? false
      } else {
        false
      }
    }
  }

  /// Whether a founding was there whose record is not: an acceptance names it, or a copy in conflict of its record is there.
  private var lacksFounding: Bool {
    let names = try? NameAuthenticator(keys: application.keys.ring)
    let founded = Set(foundings)
    return entries.contains { node in
      switch node.roleOfName {
      case .acceptance(let name):
        guard let names, hierarchy.isGenuine(name, names) else { return false }
        return !founded.contains(name.founding) || !founded.contains(name.other)
      case .folder where node.path == hierarchy.integrityKey:
        return node.children.contains { child in
          let original = child.role == .foreign ? EntryChecks.original(child.name, in: node) : nil
          return original.flatMap { FoundingName($0) }.map { !founded.contains($0.integrityKey) } ?? false
        }
      default: return false
      }
    }
  }
}
