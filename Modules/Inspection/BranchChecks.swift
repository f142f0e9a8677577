import ChangeTracking
import SyncProtocol

/// Judges what only copies of a store bring about: two sets under one number, and a set that continues another one than lies here.
///
/// Devices merge all branches by themselves, and ask for a set of one that has not come. What is left is a set that nobody can send.
struct BranchChecks {
  let reader: DocumentReader
  let remote: String

  /// A set whose predecessor is not the one that lies here.
  struct Breach: Sendable {
    let file: DocumentReader.SetFile
    /// The client that made it.
    let client: String
    /// Whether no device can have made it so, whatever became of its store.
    let isImpossible: Bool
  }

  /// - Parameters:
  ///   - before: hashes of the sets that bear the number before.
  ///   - reached: the last set of the author that need not be there.
  /// - Returns: `nil` if the set continues what lies here, or what need not.
  static func breach(
    _ set: ChangeSet, _ file: DocumentReader.SetFile, after before: [ContentHash], reached: UInt64
  ) -> Breach? {
    let isImpossible = (set.sequence == 1) != (set.previous == nil)
    if !isImpossible {
      // Of what was removed or said again, a set of another branch may be left that nobody goes on from.
      if set.sequence <= 1 || set.sequence - 1 <= reached || before.isEmpty { return nil }
      if set.previous.map(before.contains) == true { return nil }
    }
    return Breach(file: file, client: set.client, isImpossible: isImpossible)
  }

  /// - Parameter rivals: of each author, the numbers that more than one set bears.
  func run(
    _ rivals: [AuthorID: [UInt64]], _ breaches: [Breach], _ verification: inout Verification
  ) async {
    guard !rivals.isEmpty || !breaches.isEmpty else { return }
    let heads = await reader.presentHeads()
    for (author, sequences) in rivals.sorted(by: { $0.key < $1.key }) {
      let of = heads.filter { $0.name.author == author }
      let whose = of.isEmpty ? "" : " of \(DeviceNames(of))"
      let settled = await settled(author, heads)
      verification.findings += sequences.filter { $0 > settled }.map { sequence in
        Finding(
          .rivalSets, path: reader.hierarchy.changes(of: author).description,
          message:
            "There is more than one set \(sequence)\(whose): two copies of one store went on under one name.",
          next:
            "Nothing is lost, and devices merge both. Sync the devices that were restored or copied; each takes a name of its own."
        )
      }
    }
    for breach in breaches {
      let (author, sequence) = (breach.file.author, breach.file.name.sequence)
      if !breach.isImpossible {
        verification.lost.append(
          .init(document: reader.hierarchy, subject: .set(author: author, sequence: sequence - 1)))
      }
      verification.findings.append(finding(breach, heads))
    }
  }

  /// Up to which set the copies of a store have parted: one of their devices goes on under another name since, and has merged as much. What it
  /// shared a number with stays where it is, and is no matter of anybody.
  private func settled(_ author: AuthorID, _ heads: [Head]) async -> UInt64 {
    var own: [Head] = []
    for name in reader.heads where name.author == author && reader.isGenuine(name) != false {
      guard let head = try? await reader.read(name) else { return 0 }
      own.append(head)
    }
    guard let last = own.map(\.time).max() else {
      // Nobody goes on as this author: his devices have other names, or are gone, and those that take part have merged both.
      return reader.areHeadsListed ? heads.map { $0.held[author] }.min() ?? 0 : 0
    }
    let clients = Set(own.map(\.client))
    return heads.filter { $0.name.author != author && clients.contains($0.client) && $0.time > last }
      .map { $0.held[author] }.max() ?? 0
  }

  private func finding(_ breach: Breach, _ heads: [Head]) -> Finding {
    let (author, sequence) = (breach.file.author, breach.file.name.sequence)
    let path = breach.file.path.description
    if breach.isImpossible {
      return Finding(
        .brokenChain, path: path,
        message:
          "Set \(sequence) \(sequence == 1 ? "continues another, though it is the first" : "continues none, though it is not the first"), as no device writes it.",
        next: "Compare it with a copy of the remote; it was replaced.")
    }
    // Who has merged a set has what it continues; and the device that made it may be there under another author.
    let holders = DeviceNames(heads.filter { $0.held[author] >= sequence || $0.client == breach.client })
    if holders.count == 0 {
      return Finding(
        .brokenChain, path: path,
        message:
          "Set \(sequence) continues another set \(sequence - 1) than the one that lies here, and no device that takes part can send that one.",
        next:
          "Put it back from a copy of the remote: ticds-inspect repair \(remote) --from COPY. Without it, devices wait for thirty days and then go on."
      )
    }
    return Finding(
      .branchAwaited, path: path,
      message:
        "Set \(sequence) continues another set \(sequence - 1) than the one that lies here: two copies of one store went on under one name, and what one of them wrote has not come yet.",
      next:
        "Wait until the storage has delivered all files, and sync \(holders): devices ask for what is missing, send it or say it again, and merge both."
    )
  }
}
