import ChangeTracking
import Crypto
import Testing

@testable import SyncProtocol

/// Enumerates what may lie in an application's part of a remote and what a device may hold, and checks what is decided.
@Suite struct FoundingDecisionTests {
  private static let one = KeyIdentifier(digits: "1111111111111111")
  private static let two = KeyIdentifier(digits: "2222222222222222")
  private let keys = [one, two].compactMap(\.self)

  private var subsets: [Set<KeyIdentifier>] { [[], [keys[0]], [keys[1]], Set(keys)] }

  private var allEvidence: [ApplicationEvidence] {
    var all: [ApplicationEvidence] = []
    for founded in subsets {
      for files in subsets {
        for withdrawn in [[], Set([keys[0]])] {
          for bits in 0..<16 {
            all.append(
              ApplicationEvidence(
                isFoundedPlain: bits & 1 != 0, foundedKeys: founded, keyFiles: files,
                withdrawnKeys: withdrawn, hasStrangeKeys: bits & 2 != 0,
                hasClassicSalt: bits & 4 != 0, hasContent: bits & 8 != 0))
          }
        }
      }
    }
    return all
  }

  private func allHeld(_ evidence: ApplicationEvidence) -> [HeldKeys] {
    [.none, .password] + subsets.filter { $0.isSubset(of: evidence.keyFiles) }.map { .opened($0) }
      + subsets.flatMap { ring in ring.map { .ring(primary: $0, ring) } }
  }

  /// Calls `body` with every combination.
  private func forEach(
    _ body: (ApplicationEvidence, HeldKeys, Bool, FoundingDecision) throws -> Void
  ) rethrows {
    for evidence in allEvidence {
      for held in allHeld(evidence) {
        for mayCreate in [true, false] {
          try body(
            evidence, held, mayCreate, FoundingDecision(evidence, holding: held, mayCreate: mayCreate))
        }
      }
    }
  }

  @Test func `who goes without encryption never does where anything tells of it`() {
    forEach { evidence, held, _, decision in
      guard held == .none, evidence.isEncrypted else { return }
      switch decision {
      case .refuse(.passwordRequired), .refuse(.keysNotDelivered), .refuse(.classicEncryption): break
      default: Issue.record("\(evidence): \(decision)")
      }
    }
  }

  @Test func `who has a password or keys never goes without encryption`() {
    forEach { evidence, held, _, decision in
      guard held != .none else { return }
      #expect(decision != .joinPlain && decision != .found(isEncrypted: false), "\(evidence), \(held)")
    }
  }

  @Test func `nothing is founded where anything lies, or where nothing may be created`() {
    forEach { evidence, held, mayCreate, decision in
      guard case .found(let isEncrypted) = decision else { return }
      #expect(evidence == ApplicationEvidence() && mayCreate, "\(evidence)")
      #expect(isEncrypted == (held != .none))
    }
  }

  @Test func `who joins holds the key, and what others put there keeps nobody out who has one in use`() {
    forEach { evidence, held, _, decision in
      let used: Set<KeyIdentifier>
      let named = evidence.foundedKeys.union(evidence.keyFiles)
      switch held {
      case .opened(let opened): used = opened.intersection(named)
      case .ring(_, let ring): used = ring.intersection(named.union(evidence.withdrawnKeys))
      default: return
      }
      if case .joinSealed(let key, let isFounded) = decision {
        #expect(used.contains(key))
        #expect(isFounded == evidence.foundedKeys.contains(key))
        #expect(isFounded || used.isDisjoint(with: evidence.foundedKeys), "\(evidence), \(held)")
      } else {
        #expect(used.isEmpty, "\(evidence), \(held): \(decision)")
      }
    }
  }

  @Test func `a password is called wrong only where the file that it should open is there`() {
    forEach { evidence, _, _, decision in
      guard decision == .refuse(.wrongPassword) else { return }
      #expect(!evidence.keyFiles.isEmpty && evidence.foundedKeys.isSubset(of: evidence.keyFiles))
    }
  }

  @Test
  func `“not encrypted, join without” is said only where a record says so and nothing else contradicts`() {
    forEach { evidence, _, _, decision in
      guard decision == .refuse(.notEncrypted) || decision == .refuse(.encryptionChanged) else { return }
      #expect(evidence.isFoundedPlain && !evidence.isEncrypted, "\(evidence)")
    }
  }

  @Test func `every refusal is decided somewhere`() {
    var met: Set<FoundingDecision.Refusal> = []
    forEach { _, _, _, decision in
      if case .refuse(let refusal) = decision { met.insert(refusal) }
    }
    #expect(met == Set(FoundingDecision.Refusal.allCases))
  }

  @Test func `the cases that a person meets`() throws {
    let key = keys[0]
    func decide(_ held: HeldKeys, _ change: (inout ApplicationEvidence) -> Void) -> FoundingDecision {
      var evidence = ApplicationEvidence()
      change(&evidence)
      return FoundingDecision(evidence, holding: held, mayCreate: true)
    }
    // No key file, though sealed files lie there.
    #expect(decide(.none) { $0.hasContent = true } == .refuse(.notDelivered))
    #expect(decide(.password) { $0.hasContent = true } == .refuse(.notDelivered))
    // A key file that is late.
    #expect(decide(.none) { $0.foundedKeys = [key] } == .refuse(.keysNotDelivered))
    #expect(decide(.password) { $0.foundedKeys = [key] } == .refuse(.keysNotDelivered))
    // Junk, a link or a pipe in its place.
    #expect(decide(.none) { $0.hasStrangeKeys = true } == .refuse(.keysNotDelivered))
    #expect(decide(.opened([])) { $0.hasStrangeKeys = true } == .refuse(.keysNotDelivered))
    // The classic system's salt.
    #expect(decide(.none) { $0.hasClassicSalt = true } == .refuse(.classicEncryption))
    // Somebody else's key file beside the right one, which is late; then both are there.
    #expect(
      decide(.opened([])) { ($0.foundedKeys, $0.keyFiles) = ([key], [keys[1]]) } == .refuse(.keysNotDelivered)
    )
    #expect(
      decide(.opened([key])) { ($0.foundedKeys, $0.keyFiles) = ([key], Set(keys)) }
        == .joinSealed(key, isFounded: true))
    // Two foundings, of which the password opens one.
    #expect(
      decide(.opened([keys[1]])) { ($0.foundedKeys, $0.keyFiles) = (Set(keys), Set(keys)) }
        == .joinSealed(keys[1], isFounded: true))
    // A key file whose founder was interrupted, or whose record is late.
    #expect(decide(.opened([key])) { $0.keyFiles = [key] } == .joinSealed(key, isFounded: false))
    // A record without keys, for a device that has them.
    #expect(
      decide(.ring(primary: key, [key])) { $0.foundedKeys = [key] } == .joinSealed(key, isFounded: true))
  }
}

/// The same for a document's folder.
@Suite struct DocumentFoundingDecisionTests {
  private let one = IntegrityKey(ContentHash(of: [1]))
  private let two = IntegrityKey(ContentHash(of: [2]))

  private func forEach(
    _ body: (DocumentEvidence, IntegrityKey?, Bool, DocumentFoundingDecision) -> Void
  ) {
    let records = [one, two].map { DocumentEvidence.Founding(integrityKey: $0, time: $0 == one ? 1 : 2) }
    for (foundings, unread) in [[], [records[0]], [records[1]], records].flatMap({ foundings in
      [[], [one], [two], [one, two]].map { (foundings, $0) }
    }) where !unread.contains(where: { key in foundings.contains { $0.integrityKey == key } }) {
      for bits in 0..<16 {
        for pinned in [nil, one, two] where pinned != nil || bits < 8 {
          for mayCreate in [true, false] {
            let evidence = DocumentEvidence(
              foundings: foundings, unread: unread, hasUnknownKeys: bits & 1 != 0, isClassic: bits & 2 != 0,
              hasContent: bits & 4 != 0, hasPinned: bits & 8 != 0)
            body(
              evidence, pinned, mayCreate,
              DocumentFoundingDecision(evidence, pinned: pinned, mayCreate: mayCreate))
          }
        }
      }
    }
  }

  @Test func `nothing is founded where anything lies, where nothing may be created, or by a member`() {
    forEach { evidence, pinned, mayCreate, decision in
      guard decision == .found else { return }
      #expect(evidence == DocumentEvidence() && pinned == nil && mayCreate)
    }
  }

  @Test func `a member goes on with its own founding or not at all`() {
    forEach { evidence, pinned, _, decision in
      guard let pinned else { return }
      switch decision {
      case .join(let key): #expect(key == pinned && evidence.foundings.contains { $0.integrityKey == key })
      case .restore(let key):
        #expect(key == pinned)
        #expect(
          evidence.unread.contains(key) || evidence.hasPinned
            || evidence.foundings.isEmpty && evidence.hasContent)
      case .refuse(.replaced): #expect(!evidence.foundings.isEmpty && !evidence.hasPinned)
      case .refuse(.absent): #expect(!evidence.hasContent)
      case .refuse(.classic): #expect(evidence.isClassic)
      default: Issue.record("\(decision)")
      }
    }
  }

  @Test func `a newcomer joins a founding whose record is damaged by its name, if no other can be read`() {
    forEach { evidence, pinned, _, decision in
      guard pinned == nil, evidence.foundings.isEmpty, let unread = evidence.unread.min() else { return }
      #expect(decision == .join(unread))
    }
  }

  @Test func `a newcomer joins the newest founding`() {
    forEach { evidence, pinned, _, decision in
      guard pinned == nil, let newest = evidence.foundings.last else { return }
      #expect(decision == .join(newest.integrityKey))
    }
  }

  @Test func `a newcomer joins none of more foundings than devices make, and a member goes on`() {
    forEach { evidence, pinned, mayCreate, decision in
      var evidence = evidence
      evidence.isUndecided = true
      let undecided = DocumentFoundingDecision(evidence, pinned: pinned, mayCreate: mayCreate)
      #expect(undecided == (pinned == nil ? .refuse(.undecided) : decision))
    }
  }

  @Test func `a newcomer who finds what is left of a deleted document does not wait for its record`() throws {
    let code = try #require(NameCode(String(repeating: "0", count: NameCode.digits)))
    let notes = [DeletionName(one, code: code)]
    func decide(_ evidence: DocumentEvidence) -> DocumentFoundingDecision {
      DocumentFoundingDecision(evidence, pinned: nil, mayCreate: true)
    }
    #expect(decide(DocumentEvidence(hasContent: true, deleted: notes)) == .refuse(.deleted(notes)))
    #expect(decide(DocumentEvidence(hasContent: true)) == .refuse(.notDelivered))
    // Where nothing is left another may have the name.
    #expect(decide(DocumentEvidence(deleted: notes)) == .found)
    let successor = DocumentEvidence.Founding(integrityKey: two, time: 1)
    #expect(
      decide(DocumentEvidence(foundings: [successor], hasContent: true, deleted: notes)) == .join(two))
  }
}
