import ObjectStore
import Testing

@testable import ChangeTracking

@Suite struct ResolverTests {
  let here: PlainDevice
  let there: PlainDevice

  /// Two devices that know `p` and have changed its name, each without the other's knowledge; `there` is later.
  init() throws {
    here = try PlainDevice("here")
    there = try PlainDevice("there")
    try here.edit { try $0.insert("Person", "p", ["name": .string("before")]) }
    try there.receive(try here.push())
    try here.edit { try $0.set("Person", "p", "name", .string("mine")) }
    there.clock.advance(1_000)
    try there.edit { try $0.set("Person", "p", "name", .string("theirs")) }
  }

  private func name(on device: PlainDevice) throws -> AttributeValue? {
    guard case .text(let name)? = try device.store.connection.first("SELECT name FROM person") else {
      return nil
    }
    return .string(name)
  }

  @Test func `a conflict tells the object, the key, both values, both times and the other client`() throws {
    let conflict = try #require(try here.receive(try there.push()).conflicts.first)
    #expect(conflict.id.entity == "Person")
    #expect(conflict.id.object == "p")
    #expect(conflict.id.key == "name")
    #expect(conflict.localContent == .value(.string("mine")))
    #expect(conflict.remoteContent == .value(.string("theirs")))
    #expect(conflict.remoteClient == "there")
    #expect(conflict.remoteIsLater)
    #expect(conflict.outcome == .remote)
  }

  @Test(arguments: [
    (ConflictAnswer.latest, "theirs"), (.local, "mine"), (.remote, "theirs"),
    (.value(.string("both")), "both"),
  ])
  func `every answer reaches both devices`(answer: ConflictAnswer, expected: String) throws {
    let theirs = try there.push()
    try here.receive(theirs, policy: .always(answer))
    try there.receive(try here.push())

    #expect(try name(on: here) == .string(expected))
    #expect(try name(on: there) == .string(expected))
  }

  @Test func `two devices that answer differently still agree`() throws {
    let theirs = try there.push()
    try here.replica.freeze()
    let mine = try here.replica.outbox().map {
      ReceivedSet(set: try CompactCodec.decode($0.bytes), hash: $0.hash)
    }
    try here.receive(theirs, policy: .always(.local))
    // The other device has not pushed either, as far as it knows.
    try there.replica.state.setTime(.pushedTime, .zero)
    try there.receive(mine, policy: .always(.local))

    let fromHere = Array(try here.push().dropFirst(mine.count))
    let fromThere = try there.push()
    try here.receive(fromThere)
    try there.receive(fromHere)

    #expect(try name(on: here) == name(on: there))
  }

  @Test func `a merge without an answer changes nothing and asks`() throws {
    let theirs = try there.push()
    let error = #expect(throws: Replica.Undecided.self) {
      try here.receive(theirs, policy: .answers([:]))
    }
    let question = try #require(error?.conflicts.first)
    #expect(try name(on: here) == .string("mine"))

    try here.receive(theirs, policy: .answers([question.id: .remote]))
    #expect(try name(on: here) == .string("theirs"))
  }

  @Test func `equal values merge without a question`() throws {
    try here.edit { try $0.set("Person", "p", "name", .string("theirs")) }
    let report = try here.receive(try there.push(), policy: .answers([:]))
    #expect(report.conflicts.isEmpty)
  }

  @Test func `several pending edits of one attribute make one question about the newest`() throws {
    try here.edit { try $0.set("Person", "p", "name", .string("mine again")) }
    let report = try here.receive(try there.push())
    #expect(report.conflicts.map(\.localContent) == [.value(.string("mine again"))])
  }

  @Test func `after the push a remote change is no conflict any more`() throws {
    try here.push()
    #expect(try here.receive(try there.push()).conflicts.isEmpty)
  }

  @Test func `an edit of an object that was deleted remotely is reported`() throws {
    try there.edit { try $0.delete("Person", "p") }
    let report = try here.receive(try there.push())
    #expect(report.warnings.map(\.kind) == [.attributesOfDeletedObjectChangedHere])
  }

  @Test func `a remote edit of an object that was deleted here is reported`() throws {
    try here.edit { try $0.delete("Person", "p") }
    let report = try here.receive(try there.push())
    #expect(report.warnings.map(\.kind) == [.attributesOfObjectDeletedHereChanged])
    #expect(report.warnings.first?.key == "name")
    #expect(report.warnings.first?.client == "there")
  }
}
