import ByteFixtures
import ObjectStore
import Testing

@testable import ChangeTracking

@Suite struct LongValueTests {
  private let here: PlainDevice
  private let there: PlainDevice

  init() throws {
    here = try PlainDevice("here")
    there = try PlainDevice("there")
  }

  private static func text(_ letter: Character, _ count: Int = 100_000) -> AttributeValue {
    .string(String(repeating: letter, count: count))
  }

  private func name(of person: SyncID, on device: PlainDevice) throws -> AttributeValue? {
    guard let row = try device.row("Person", person) else { return nil }
    guard
      case .value(let value)? = try device.store.readRow(
        RowReference(entity: PlainStore.person, row: row), [LocalProperty(rawValue: 0)])?.contents.first
    else { return nil }
    return value
  }

  private func deliver(_ values: [ContentHash: [UInt8]], to device: PlainDevice) throws {
    var fetched = FetchedLongValues()
    for reference in try device.replica.awaitedLongValues() {
      guard let bytes = values[reference.hash] else { continue }
      let isTaken = fetched.add(bytes, as: reference)
      #expect(isTaken)
    }
    try device.replica.receive(fetched)
  }

  @Test func `a value of 16 KiB travels in the set, a longer one beside it`() throws {
    try here.edit { edit in
      try edit.insert("Person", "short", ["name": Self.text("s", LongValue.threshold)])
      try edit.insert("Person", "long", ["name": Self.text("l", LongValue.threshold + 1)])
    }
    let sets = try here.push()
    #expect(sets.flatMap(\.set.missingLongValues).map(\.length) == [LongValue.threshold + 1])
    #expect(here.pushedLongValues.map(\.value.count) == [LongValue.threshold + 1])
  }

  @Test func `one value is kept once for the upload, however many changes mention it`() throws {
    try here.edit { edit in
      for number in 0..<5 { try edit.insert("Person", .text("\(number)"), ["name": Self.text("x")]) }
    }
    try here.replica.freeze()
    try here.edit { try $0.insert("Person", "later", ["name": Self.text("x")]) }
    try here.replica.freeze()

    #expect(try here.replica.outbox().count == 2)
    #expect(try here.replica.unsentLongValues().count == 1)
    // The second set needs it still.
    try here.replica.acknowledge(through: 1)
    #expect(try here.replica.unsentLongValues().count == 1)
    try here.replica.acknowledge(through: 2)
    #expect(try here.replica.unsentLongValues().isEmpty)
  }

  @Test func `a set that is filled with its values shows like any other`() throws {
    try here.edit { try $0.insert("Person", "a", ["name": Self.text("x"), "age": .integer(3)]) }
    var sets = try here.push()
    var fetched = FetchedLongValues()
    for reference in sets[0].set.missingLongValues {
      let isTaken = fetched.add(try #require(here.pushedLongValues[reference.hash]), as: reference)
      #expect(isTaken)
    }
    sets[0].set.fill(with: fetched)
    try there.receive(sets)

    #expect(try there.store.contents() == here.store.contents())
    #expect(try there.replica.awaitedLongValues().isEmpty)
  }

  @Test func `a value that is missing holds up nothing else, and shows when it arrives`() throws {
    try here.edit { try $0.insert("Person", "a", ["name": .string("before"), "age": .integer(3)]) }
    try there.receive(try here.push())
    here.clock.advance(1)
    try here.edit { edit in
      try edit.set("Person", "a", "name", Self.text("x"))
      try edit.set("Person", "a", "age", .integer(4))
      try edit.insert("Person", "b", ["name": Self.text("y")])
    }
    try there.receive(try here.push())

    #expect(try name(of: "a", on: there) == .string("before"))
    #expect(try name(of: "b", on: there) == .null)
    #expect(try there.replica.awaitedLongValues().count == 2)
    #expect(try there.replica.status().parked == 2)

    try deliver(here.pushedLongValues, to: there)
    #expect(try there.store.contents() == here.store.contents())
    #expect(try there.replica.awaitedLongValues().isEmpty)
    #expect(try there.replica.status().isPushed)
  }

  @Test func `what is written while a value is awaited wins, and the value is awaited no more`() throws {
    try here.edit { try $0.insert("Person", "a", ["name": .string("before")]) }
    try there.receive(try here.push())
    try here.edit { try $0.set("Person", "a", "name", Self.text("x")) }
    try there.receive(try here.push())

    there.clock.advance(60_000)
    try there.edit { try $0.set("Person", "a", "name", .string("after")) }
    // Still in the log when the value arrives.
    try deliver(here.pushedLongValues, to: there)
    #expect(try name(of: "a", on: there) == .string("after"))
    #expect(try there.replica.awaitedLongValues().isEmpty)
    try here.receive(try there.push())
    #expect(try here.store.contents() == there.store.contents())
  }

  @Test func `a value that an object waits for does not outlive the object`() throws {
    try here.edit { try $0.insert("Person", "a", ["name": Self.text("x")]) }
    try there.receive(try here.push())
    here.clock.advance(1)
    try here.edit { try $0.delete("Person", "a") }
    try there.receive(try here.push())
    #expect(try there.replica.awaitedLongValues().isEmpty)
  }

  @Test func `nor does it for an object of which only the deletion and an edit have come`() throws {
    let (deleter, late) = (try PlainDevice("deleter"), try PlainDevice("late"))
    try here.edit { try $0.insert("Person", "a", ["name": .string("before")]) }
    let insertion = try here.push()
    for device in [there, deleter] { try device.receive(insertion) }
    there.clock.advance(1)
    try there.edit { try $0.set("Person", "a", "name", Self.text("x")) }
    deleter.clock.advance(2)
    try deleter.edit { try $0.delete("Person", "a") }

    try late.receive(try there.push())
    #expect(try late.replica.awaitedLongValues().count == 1)
    try late.receive(try deleter.push())

    #expect(try late.replica.awaitedLongValues().isEmpty)
  }

  @Test func `bytes that are not those that were meant are not taken`() throws {
    let reference = try #require(LongValue(Self.text("x")))
    let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
    var fetched = FetchedLongValues()
    var other = bytes
    other[99_999] ^= 1
    for wrong in [other, bytes.dropLast(), bytes + [0], []] {
      let isTaken = fetched.add(Array(wrong), as: reference)
      #expect(!isTaken)
    }
    #expect(fetched.isEmpty)
    let isTaken = fetched.add(bytes, as: reference)
    #expect(isTaken)

    let noText = [UInt8](repeating: 0xff, count: 20_000)
    let claimed = LongValue(kind: .text, length: noText.count, hash: ContentHash(of: noText))
    #expect(claimed.value(of: noText) == nil)
  }

  @Test func `a set that describes a short value as a long one is damaged`() throws {
    for length in [0, LongValue.threshold, LongValue.lengthLimit + 1] {
      let content = Register.Content.longValue(
        LongValue(kind: .data, length: length, hash: ContentHash(of: [])))
      #expect(Register.Content(parked: content.parkedBytes) == nil)
    }
  }

  @Test func `a value has the same place among others whether it is here or not`() throws {
    let values: [AttributeValue] = [
      Self.text("x"), Self.text("y"), .data([UInt8](repeating: 1, count: 20_000)), .null, .string("z"),
      .integer(4),
    ]
    let here = values.map { Register.Content.value($0) }
    let there = here.map(\.onTheWire)
    for left in values.indices {
      for right in values.indices {
        #expect(here[left].precedes(here[right]) == there[left].precedes(there[right]))
        #expect(here[left].precedes(here[right]) == here[left].precedes(there[right]))
      }
    }
  }

  @Test(arguments: 0..<12)
  func `devices agree in the end, whichever values come late`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let devices = [here, there, try PlainDevice("third")]
    let people: [SyncID] = ["a", "b", "c"]
    for _ in 0..<12 {
      let device = devices.randomElement(using: &random) ?? here
      device.clock.advance(UInt64.random(in: 0..<50, using: &random))
      try device.edit { edit in
        for person in people where Bool.random(using: &random) {
          let letter = "xyz".randomElement(using: &random) ?? "x"
          let text =
            Bool.random(using: &random) ? Self.text(letter, 20_000) : AttributeValue.string("\(letter)")
          if try device.row("Person", person) == nil {
            try edit.insert("Person", person, ["name": text])
          } else if Int.random(in: 0..<5, using: &random) == 0 {
            try edit.delete("Person", person)
          } else {
            try edit.set("Person", person, "name", text)
          }
        }
      }
      let sets = try device.push()
      for other in devices where other !== device {
        var sets = sets
        var fetched = FetchedLongValues()
        for index in sets.indices {
          for value in sets[index].set.missingLongValues where Bool.random(using: &random) {
            _ = fetched.add(try #require(device.pushedLongValues[value.hash]), as: value)
          }
          sets[index].set.fill(with: fetched)
        }
        try other.receive(sets)
        if Bool.random(using: &random) { try deliver(device.pushedLongValues, to: other) }
      }
    }
    for device in devices {
      for other in devices { try deliver(other.pushedLongValues, to: device) }
      #expect(try device.replica.awaitedLongValues().isEmpty)
    }
    for device in devices {
      for other in devices where other !== device { try other.receive(try device.push()) }
    }
    #expect(try devices[0].store.contents() == devices[1].store.contents())
    #expect(try devices[0].store.contents() == devices[2].store.contents())
  }

  @Test func `a store that was copied says its long values again`() throws {
    try here.edit { try $0.insert("Person", "a", ["name": Self.text("x")]) }
    try here.replica.freeze()
    try here.replica.beginNewIncarnation()

    try there.receive(try here.push())
    try deliver(here.pushedLongValues, to: there)
    #expect(try there.store.contents() == here.store.contents())
  }
}
