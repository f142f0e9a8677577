import ByteFixtures
import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// What several users meant, each without knowing of the others, is what all devices show in the end: where things were put last, which badge
/// they were given, and all that was counted.
@Suite struct IntentTests {
  private static let model = [
    EntityDeclaration(
      "Shelf", attributes: [RenamingTests.syncID],
      relationships: [.init("things", to: "Thing", inverse: "shelf", isToMany: true, isOrdered: true)]),
    EntityDeclaration(
      "Thing",
      attributes: [
        RenamingTests.syncID, .init("title", .string),
        .init("count", .integer64, userInfo: .merging(.counter)),
      ],
      relationships: [
        .init("shelf", to: "Shelf", inverse: "things", isToMany: false),
        .init("badge", to: "Badge", inverse: "thing", isToMany: false),
      ]),
    EntityDeclaration(
      "Badge", attributes: [RenamingTests.syncID],
      relationships: [.init("thing", to: "Thing", inverse: "badge", isToMany: false)]),
  ]

  /// What the users did, as they meant it.
  private struct Meaning {
    /// Where a thing was put last, though that may be gone by now.
    var shelves: [String: String] = [:]
    var titles: [String: String] = [:]
    var counts: [String: Int64] = [:]
    var deletedThings: Set<String> = []
    var deletedShelves: Set<String> = []
    /// Which badges were given, the last at the end.
    var gifts: [Gift] = []

    /// The badges of things that nobody has given anything, or taken anything from, since.
    var badges: [String: String] {
      var badges: [String: String] = [:]
      var touched: Set<String> = []
      for gift in gifts.reversed() {
        if !touched.contains(gift.thing), !touched.contains(gift.badge) { badges[gift.thing] = gift.badge }
        touched.formUnion(gift.touched)
      }
      return badges
    }

    /// What everybody shows who knows of all that.
    var shown: [String] {
      counts.keys.filter { !deletedThings.contains($0) }.sorted().map { thing in
        let shelf = shelves[thing].flatMap { deletedShelves.contains($0) ? nil : $0 }
        return Self.line(thing, shelf, titles[thing], counts[thing])
      }
    }

    static func line(_ thing: String, _ shelf: String?, _ title: String?, _ count: Int64?) -> String {
      "\(thing) in \(shelf ?? "nothing"), \(title ?? "nameless"), \(count ?? 0)"
    }
  }

  /// A badge that a user gave a thing, with what that parted as he saw it.
  private struct Gift {
    var thing: String
    var badge: String
    var touched: Set<String>
  }

  private enum Step: CaseIterable {
    case addShelf, addThing, move, moveAndDelete, takeOut, deleteShelf, deleteTwo, deleteThing, count, title
    case addBadge, give, giveAgain, deleteBadge, deleteAndUndo
    case reorder, freeze, receive, receiveAll, mergeCopy, becomeAnother
  }

  /// Several devices, and users who edit at one of them at a time.
  private struct Walk {
    let devices: [VersionedDevice]
    private var random: SeededGenerator
    private var now: UInt64 = 1_700_000_000_000
    private var made = 0
    private(set) var meaning = Meaning()

    init(seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      let limit = [3, 8, 10_000].randomElement(using: &random) ?? 8
      devices = try ["one", "two", "three"].map {
        try VersionedDevice($0, IntentTests.model, setLimit: limit)
      }
    }

    mutating func run(_ steps: Int) throws {
      for _ in 0..<5 { try take(.addShelf, at: devices[0]) }
      for _ in 0..<5 { try take(.addThing, at: devices[0]) }
      for _ in 0..<steps {
        guard let step = Step.allCases.randomElement(using: &random),
          let device = devices.randomElement(using: &random)
        else { return }
        try take(step, at: device)
      }
      for _ in 0..<3 { try synchronize() }
    }

    private func synchronize() throws {
      for device in devices {
        for other in devices where other !== device { try device.receive(from: other) }
      }
    }

    /// A user edits and saves. What comes from another device in between is later in his store, and was there before for everybody else.
    private mutating func edit(at device: VersionedDevice, _ body: (ManagedObjectContext) throws -> Void)
      throws
    {
      now += 1_000
      device.clock.set(now)
      let other = Int.random(in: 0..<3, using: &random) == 0 ? devices.randomElement(using: &random) : nil
      try device.edit { context in
        context.mergePolicy = .objectWins
        try body(context)
        if let other, other !== device { try device.receive(from: other) }
      }
    }

    private mutating func any(_ entity: String, at device: VersionedDevice) throws -> ManagedObject? {
      try device.objects(entity).randomElement(using: &random)
    }

    private mutating func take(_ step: Step, at device: VersionedDevice) throws {
      let before = meaning
      do {
        try perform(step, at: device)
      } catch is SaveError {
        // Others had deleted what was edited.
        device.context.rollback()
        meaning = before
      }
    }

    private mutating func perform(_ step: Step, at device: VersionedDevice) throws {
      switch step {
      case .addShelf: try add("Shelf", at: device)
      case .addThing: try add("Thing", at: device)
      case .addBadge: try add("Badge", at: device)
      case .give, .giveAgain: try give(at: device)
      case .deleteBadge:
        guard let badge = try any("Badge", at: device) else { return }
        try edit(at: device) { context in context.delete(badge) }
      case .deleteAndUndo: try deleteAndUndo(at: device)
      case .mergeCopy: try mergeCopy(at: device)
      case .move, .moveAndDelete: try move(at: device, andDelete: step == .moveAndDelete)
      case .takeOut: try takeOut(at: device)
      case .deleteShelf, .deleteTwo: try deleteShelves(step == .deleteShelf ? 1 : 2, at: device)
      case .deleteThing: try deleteThing(at: device)
      case .count, .title: try write(step, at: device)
      case .reorder: try reorder(at: device)
      case .freeze: try device.replica.freeze()
      case .receive:
        guard let other = devices.filter({ $0 !== device }).randomElement(using: &random) else { return }
        try device.receive(from: other)
      case .receiveAll: for other in devices where other !== device { try device.receive(from: other) }
      case .becomeAnother:
        try device.replica.freeze()
        try device.replica.begin(newIncarnation: .unpushed)
      }
    }

    private mutating func add(_ entity: String, at device: VersionedDevice) throws {
      made += 1
      let name = "\(entity.prefix(1))\(made)"
      let shelf = entity == "Thing" ? try any("Shelf", at: device) : nil
      try edit(at: device) { context in
        let object = try context.insert(entity: entity)
        object[SyncModelKey.syncID] = .string(name)
        if let shelf { object.setTarget(shelf, "shelf") }
      }
      guard entity == "Thing" else { return }
      meaning.counts[name] = 0
      meaning.shelves[name] = try shelf.map { try IntentTests.name(of: $0) }
    }

    private mutating func give(at device: VersionedDevice) throws {
      guard let thing = try any("Thing", at: device), let badge = try any("Badge", at: device),
        thing.target("badge") !== badge
      else { return }
      let parted = [thing, badge, thing.target("badge"), badge.target("thing")].compactMap(\.self)
      meaning.gifts.append(
        Gift(
          thing: try IntentTests.name(of: thing), badge: try IntentTests.name(of: badge),
          touched: Set(try parted.map(IntentTests.name))))
      let isOfThing = Bool.random(using: &random)
      try edit(at: device) { _ in
        if isOfThing { thing.setTarget(badge, "badge") } else { badge.setTarget(thing, "thing") }
      }
    }

    private mutating func mergeCopy(at device: VersionedDevice) throws {
      guard let other = devices.randomElement(using: &random), other !== device else { return }
      let folder = try TemporaryFolder()
      _ = try other.replica.snapshot(to: folder.file("copy.sqlite"))
      let outcome = try device.replica.mergeCopy(
        at: folder.file("copy.sqlite"), policy: .always(.latest), along: { _, _, _ in })
      guard case .merged = outcome else {
        Issue.record("\(outcome)")
        return
      }
    }

    private mutating func move(at device: VersionedDevice, andDelete: Bool) throws {
      guard let thing = try any("Thing", at: device), let shelf = try any("Shelf", at: device),
        thing.target("shelf") !== shelf
      else { return }
      let former = andDelete ? thing.target("shelf") : nil
      let name = try IntentTests.name(of: thing)
      meaning.shelves[name] = try IntentTests.name(of: shelf)
      if let former { meaning.deletedShelves.insert(try IntentTests.name(of: former)) }
      try edit(at: device) { context in
        thing.setTarget(shelf, "shelf")
        if let former { context.delete(former) }
      }
    }

    private mutating func takeOut(at device: VersionedDevice) throws {
      guard let thing = try any("Thing", at: device), thing.target("shelf") != nil else { return }
      meaning.shelves[try IntentTests.name(of: thing)] = nil
      try edit(at: device) { _ in thing.setTarget(nil, "shelf") }
    }

    private mutating func deleteShelves(_ count: Int, at device: VersionedDevice) throws {
      let shelves = try device.objects("Shelf").shuffled(using: &random).prefix(count)
      if shelves.isEmpty { return }
      for shelf in shelves { meaning.deletedShelves.insert(try IntentTests.name(of: shelf)) }
      try edit(at: device) { context in for shelf in shelves { context.delete(shelf) } }
    }

    /// Means nothing, unless somebody else has deleted the shelf too.
    private mutating func deleteAndUndo(at device: VersionedDevice) throws {
      guard let shelf = try any("Shelf", at: device),
        !meaning.deletedShelves.contains(try IntentTests.name(of: shelf))
      else { return }
      device.context.undoIsEnabled = true
      defer { device.context.undoIsEnabled = false }
      try edit(at: device) { context in context.delete(shelf) }
      switch Int.random(in: 0..<3, using: &random) {
      case 0: try device.replica.freeze()
      case 1: try device.push()
      default: break
      }
      try edit(at: device) { context in context.undo() }
    }

    private mutating func deleteThing(at device: VersionedDevice) throws {
      guard let thing = try any("Thing", at: device) else { return }
      meaning.deletedThings.insert(try IntentTests.name(of: thing))
      try edit(at: device) { context in context.delete(thing) }
    }

    private mutating func write(_ step: Step, at device: VersionedDevice) throws {
      guard let thing = try any("Thing", at: device) else { return }
      let name = try IntentTests.name(of: thing)
      made += 1
      let (title, more) = ("title \(made)", Int64(made))
      if step == .title { meaning.titles[name] = title } else { meaning.counts[name, default: 0] += more }
      try edit(at: device) { _ in
        if step == .title {
          thing["title"] = .string(title)
        } else {
          let shown = if case .integer(let count) = thing["count"] { count } else { Int64(0) }
          thing["count"] = .integer(shown + more)
        }
      }
    }

    private mutating func reorder(at device: VersionedDevice) throws {
      guard let shelf = try any("Shelf", at: device) else { return }
      let things = shelf.members("things")
      guard things.count > 1 else { return }
      try edit(at: device) { _ in shelf.setMembers(things.reversed(), "things") }
    }
  }

  private static func name(of object: ManagedObject) throws -> String {
    guard case .string(let name) = object[SyncModelKey.syncID] else { throw Nameless() }
    return name
  }

  private struct Nameless: Error {}

  private static func shown(by device: VersionedDevice) throws -> [String] {
    try device.objects("Thing").map { thing in
      let title = if case .string(let title) = thing["title"] { title } else { String?.none }
      let count = if case .integer(let count) = thing["count"] { count } else { Int64?.none }
      return Meaning.line(try name(of: thing), try thing.target("shelf").map(name), title, count)
    }.sorted()
  }

  private static func badges(shownBy device: VersionedDevice) throws -> [String: String] {
    var badges: [String: String] = [:]
    for thing in try device.objects("Thing") {
      if let badge = thing.target("badge") { badges[try name(of: thing)] = try name(of: badge) }
    }
    return badges
  }

  @Test(arguments: 0..<40) func `everybody sees in the end what was meant`(seed: Int) throws {
    var walk = try Walk(seed: UInt64(seed))

    try walk.run(120)

    for device in walk.devices {
      #expect(try Self.shown(by: device) == walk.meaning.shown)
      let badges = try Self.badges(shownBy: device)
      #expect(badges == (try Self.badges(shownBy: walk.devices[0])))
      for (thing, badge) in walk.meaning.badges
      where try device.object("Thing", thing) != nil && device.object("Badge", badge) != nil {
        #expect(badges[thing] == badge)
      }
    }
  }
}
