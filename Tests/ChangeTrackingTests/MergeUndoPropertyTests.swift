import ByteFixtures
import ObjectStore
import Testing

@testable import ChangeTracking

/// Relationships and values of every kind, so that taking a merge back meets all of them.
final class Knot: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var text: String?
  @Attribute var code: String?
  @Attribute(userInfo: ["TICDSMerge": "counter"]) var count: Int64 = 0
  @ToOne var exclusive: Loop?
  @ToOne(isOwnInverse: true) var partner: Knot?
  @ToMany(isOwnInverse: true) var friends: Set<Knot>
  @ToOne var owner: Loop?
  @ToMany var mentions: [Loop]

  class override var entityOptions: EntityOptions? {
    EntityOptions(Knot.self, uniquenessConstraints: [["code"]])
  }
}

final class Loop: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @ToOne(inverse: \Knot.exclusive) var holder: Knot?
  @ToMany(inverse: \Knot.owner) var owned: [Knot]
  @ToMany(inverse: \Knot.mentions) var mentionedBy: [Knot]
}

@Suite struct MergeUndoPropertyTests {
  private let model: ManagedObjectModel

  init() throws { model = try ManagedObjectModel(Knot.self, Loop.self) }

  @Test(arguments: 0..<60)
  func `a merge that is taken back at once leaves everything as it was, everywhere`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let here = try ManagedDevice("here", model)
    let there = try ManagedDevice("there", model)
    for _ in 0..<4 { try edit(here, &random) }
    try ManagedDevice.exchange(here, there)
    for _ in 0..<Int.random(in: 0...2, using: &random) { try edit(here, &random) }
    for _ in 0..<Int.random(in: 1...4, using: &random) { try edit(there, &random) }
    try here.push()
    let before = try shown(here)

    let outcome = try here.replica.apply(there.push(), policy: .always(.latest), keepsInverse: true)
    guard case .applied(let report) = outcome else { return }
    let undone = try here.replica.undo(try #require(report.inverse))

    #expect(undone.kept == [])
    #expect(try shown(here) == before)
    try there.receive(here.pushed + here.push())
    try here.receive(there.push())
    #expect(try shown(here) == before)
    #expect(try shown(there) == before)
  }

  /// One save of a few random edits.
  private func edit(_ device: ManagedDevice, _ random: inout SeededGenerator) throws {
    device.clock.advance(UInt64.random(in: 1...5_000, using: &random))
    let context = device.context
    context.mergePendingChanges()
    for _ in 0..<6 {
      let knots = try context.fetch(Knot.self).sorted { $0.ticdsSyncID ?? "" < $1.ticdsSyncID ?? "" }
      let loops = try context.fetch(Loop.self).sorted { $0.ticdsSyncID ?? "" < $1.ticdsSyncID ?? "" }
      guard let knot = knots.randomElement(using: &random), let loop = loops.randomElement(using: &random),
        let other = knots.randomElement(using: &random),
        !Int.random(in: 0..<5, using: &random).isMultiple(of: 5)
      else {
        _ = try context.insert(Knot.self)
        _ = try context.insert(Loop.self)
        continue
      }
      switch Int.random(in: 0..<12, using: &random) {
      case 0: knot.text = ["a", "b", nil].randomElement(using: &random) ?? nil
      case 1:
        let code = ["x", "y", "z"].randomElement(using: &random)
        // A value can be taken over with the next save.
        if let holder = knots.first(where: { $0.code == code }) {
          holder.code = nil
        } else {
          knot.code = code
        }
      case 2: knot.count += Int64.random(in: 1...3, using: &random)
      case 3: knot.exclusive = Bool.random(using: &random) ? loop : nil
      case 4: knot.partner = other === knot ? nil : other
      case 5: knot.friends.formSymmetricDifference([other])
      case 6: knot.owner = Bool.random(using: &random) ? loop : nil
      case 7: knot.mentions = Bool.random(using: &random) ? [loop] + knot.mentions.filter { $0 !== loop } : []
      case 8: loop.owned.shuffle(using: &random)
      case 9: loop.mentionedBy.shuffle(using: &random)
      case 10: context.delete(knot)
      default: context.delete(loop)
      }
    }
    if context.hasChanges { try context.save() }
  }

  /// Every object with everything that it shows, read afresh.
  private func shown(_ device: ManagedDevice) throws -> [String] {
    let context = try device.context.store.newContext()
    func name(_ object: ManagedObject?) -> String {
      guard case .string(let name)? = object?["ticdsSyncID"] else { return "-" }
      return String(name.suffix(4))
    }
    let knots = try context.fetch(Knot.self).map { knot in
      "\(name(knot)) \(knot.text ?? "-") \(knot.code ?? "-") \(knot.count) holds \(name(knot.exclusive))"
        + " with \(name(knot.partner)) of \(name(knot.owner)) friends \(knot.friends.map(name).sorted())"
        + " mentions \(knot.mentions.map(name))"
    }
    let loops = try context.fetch(Loop.self).map { loop in
      "\(name(loop)) held by \(name(loop.holder)) owns \(loop.owned.map(name)) in \(loop.mentionedBy.map(name))"
    }
    return (knots + loops).sorted()
  }
}
