import ChangeTracking
import SyncProtocol

/// What devices say that they hold: what is missing here and held by one of them is not lost.
extension DocumentReader {
  /// The newest head of each author who takes part, with its content, as far as it can be read.
  ///
  /// Read again each time, so only what has found something amiss asks for it.
  ///
  /// - Parameter isIncluded: which of them; all by default.
  func presentHeads(where isIncluded: (Head) -> Bool = { _ in true }) async -> [Head] {
    let removed = removed
    var heads: [Head] = []
    for (author, name) in newestHeads.sorted(by: { $0.key < $1.key }) where !removed.contains(author) {
      if let head = try? await read(name), isIncluded(head) { heads.append(head) }
    }
    return heads
  }
}

extension DocumentReader {
  /// The authors that other documents of the application name, each with one of these: his sets belong there, for a device writes into each
  /// under another name.
  func authorsNamedElsewhere() -> [AuthorID: DocumentHierarchy] {
    application.documents.filter { $0.hierarchy.root != hierarchy.root }.reduce(into: [:]) { authors, other in
      for author in Set(other.newestHeads.keys).union(other.mentions.keys) {
        authors[author] = other.hierarchy
      }
    }
  }

  /// The documents to which sets belong that lie here, if these are others: all of them, for the document lies under the name of another one, or
  /// those of some authors.
  func owners() async -> (all: RemoteName?, byAuthor: [AuthorID: RemoteName]) {
    if foundings.isEmpty, !foundingNames.isEmpty {
      let beside = application.documents.map(\.hierarchy.document.description)
      if let right = trueName(beside: beside, told: await toldNames()) { return (right, [:]) }
    }
    return (nil, strayAuthors().mapValues(\.document))
  }

  /// The authors whose sets lie here and whom another document names, and this one does not.
  func strayAuthors() -> [AuthorID: DocumentHierarchy] {
    let untold = setsByAuthor.keys.filter { newestHeads[$0] == nil && mentions[$0] == nil }
    guard !untold.isEmpty else { return [:] }
    let known = authorsNamedElsewhere()
    return untold.reduce(into: [:]) { strays, author in strays[author] = known[author] }
  }

  /// Authors that are noted of heads, at most: more than any document has.
  private static let authorLimit = 65_536

  /// Of each author, the last set that a head, a mention or a device that has merged it names.
  func namedEnds() async -> [AuthorID: UInt64] {
    var ends = mentions.compactMapValues { $0.map(\.sequence).max() }
    for (author, head) in newestHeads { ends[author] = max(ends[author] ?? 0, head.sequence) }
    // One at a time: invented ones are as many and as large as anybody likes. Devices that were removed tell, too, what there was.
    for (_, name) in newestHeads.sorted(by: { $0.key < $1.key }) {
      guard let head = try? await read(name), head.vector.total == head.name.seen else { continue }
      // Whoever can write to a plain remote invents authors.
      for (author, sequence) in head.held.sequences
      where ends.count < Self.authorLimit || ends[author] != nil {
        ends[author] = max(ends[author] ?? 0, sequence)
      }
    }
    return ends
  }

  /// Of each author of whom sets are not there that somebody names, or that come before one that is there, the first of these. What was said
  /// again, or removed because whole stores contain it, is not missed.
  func firstMissing() async -> [AuthorID: UInt64] {
    guard areHeadsListed, areSetsListed else { return [:] }
    let (floor, superseded) = (await floor(), superseded)
    var first: [AuthorID: UInt64] = [:]
    var ends = await namedEnds()
    // What lies before a set that is there is missed, whoever names it.
    let strays = strayAuthors()
    for (author, files) in setsByAuthor where strays[author] == nil {
      ends[author] = max(ends[author] ?? 0, files.last?.name.sequence ?? 0)
    }
    for (author, end) in ends {
      let present = Set((setsByAuthor[author] ?? []).map(\.name.sequence))
      let passed = max(floor[author], superseded[author] ?? 0)
      let gaps = SequenceGaps.missing(from: present, after: passed, through: end)
      if let gap = gaps.first { first[author] = gap.lowerBound }
      // Under its number a set of another copy of the store may lie there.
      if let named = newestHeads[author]?.set, named.sequence > passed, first[author] == nil,
        setsByAuthor[author]?.contains(where: { $0.name == named }) != true
      {
        first[author] = named.sequence
      }
    }
    return first
  }

  /// Whether a set is one that is missing between or after others of its author, by names alone. Of first sets a vacuum may have removed any number.
  func lacks(_ set: SetName, of author: AuthorID) -> Bool {
    guard let files = setsByAuthor[author], let first = files.first?.name.sequence,
      let end = newestHeads[author]?.sequence, set.sequence > max(first, superseded[author] ?? 0),
      set.sequence <= end
    else { return false }
    return !files.hashes(of: set.sequence).contains(set.hash)
  }

  /// The greatest sequence that a floor in force may name which nobody can open without the password; 0 if there is none. Its name tells how
  /// many sets lie below it, of all authors taken together.
  var unreadableFloor: UInt64 {
    guard application.isLocked else { return 0 }
    return entries.reduce(0) { bound, node in
      guard case .floor(let floor) = node.role, floor.phase == .inForce else { return bound }
      return max(bound, floor.total)
    }
  }
}

extension Head {
  /// The sets that the author has merged or made.
  var held: VersionVector {
    var held = vector
    held[name.author] = max(held[name.author], name.sequence)
    return held
  }

  /// Whether a repair has written it, whose device existed for that alone: nobody can synchronise it.
  var isOfRepair: Bool { clientDescription == RepairDevice.name }

  /// What the author's device is called, in quotation marks.
  var shownDevice: String { "“\(DeviceName.shown(clientDescription))”" }
}

/// Devices in a sentence: some by their names, the others counted.
struct DeviceNames: CustomStringConvertible {
  /// Names that many at most, for whoever can write there invents any number.
  private static let shownLimit = 3

  private var names: [String] = []
  private var rest = 0
  /// How many heads were added.
  private(set) var count = 0

  init(_ heads: [Head] = []) {
    for head in heads { add(head) }
  }

  mutating func add(_ head: Head) {
    count += 1
    guard !names.contains(head.shownDevice) else { return }
    if names.count < Self.shownLimit { names.append(head.shownDevice) } else { rest += 1 }
  }

  /// Empty if there is none.
  var description: String { names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "") }
}
