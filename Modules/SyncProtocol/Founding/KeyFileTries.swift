import ChangeTracking

/// What is known of the key files of a folder from earlier attempts to open one with a password.
///
/// Nobody who writes to the storage steers it: files are told by what they hold, whatever they are called and whenever they are said to have
/// been written, and those that were seen at an earlier attempt have their turn before those that came later.
struct KeyFileTries: Sendable {
  /// What became of a file.
  enum Outcome: String, Sendable {
    /// It was not tried.
    case waiting
    /// The password does not open it.
    case failed
    /// The password opens only what was withdrawn, as far as was known then.
    case withdrawn
  }

  /// A file that was seen.
  struct Sight: Sendable {
    /// The number of the attempt that saw it first.
    var attempt: Int
    var outcome = Outcome.waiting
  }

  /// Files that are remembered at most, but for those that an attempt has read.
  private static let limit = 4_096

  /// The number of this attempt.
  private(set) var attempt: Int
  /// The files that were seen, by what they hold.
  private(set) var sights: [ContentHash: Sight] = [:]
  /// What files held when they were last read.
  private(set) var contents: [KeyFileName: ContentHash] = [:]
  /// The files that this attempt has read.
  private var present: Set<ContentHash> = []

  /// Nothing, before a first attempt.
  init() { attempt = 1 }

  /// Goes on from earlier attempts.
  init(after attempt: Int, _ sights: [ContentHash: Sight], _ contents: [KeyFileName: ContentHash]) {
    self.attempt = attempt + 1
    self.sights = sights
    self.contents = contents
  }

  /// Forgets what became of files, for the password is another one, but not which were seen first.
  mutating func forgetOutcomes() {
    for content in sights.keys { sights[content]?.outcome = .waiting }
  }

  /// Notes that a file was read.
  mutating func note(_ name: KeyFileName, _ content: ContentHash) {
    contents[name] = content
    present.insert(content)
    if sights[content] == nil { sights[content] = Sight(attempt: attempt) }
  }

  mutating func note(_ outcome: Outcome, _ content: ContentHash) { sights[content]?.outcome = outcome }

  func hasFailed(_ content: ContentHash) -> Bool { sights[content]?.outcome == .failed }

  /// When a file has its turn: the smaller, the sooner.
  func turn(_ content: ContentHash?) -> Int {
    guard let sight = content.flatMap({ sights[$0] }) else { return attempt }
    return sight.outcome == .waiting ? sight.attempt : .max
  }

  /// Files in the order of their turns, otherwise as they are.
  func inTurns<Element>(_ elements: [Element], _ content: (Element) -> ContentHash?) -> [Element] {
    let groups = Dictionary(grouping: elements) { turn(content($0)) }
    return groups.keys.sorted().flatMap { groups[$0] ?? [] }
  }

  /// Forgets the names that are gone, and, of more files than are remembered, those that this attempt has not read.
  mutating func prune(to names: [KeyFileName]) {
    let listed = Set(names)
    contents = contents.filter { listed.contains($0.key) }
    if sights.count > Self.limit { sights = sights.filter { present.contains($0.key) } }
  }
}
