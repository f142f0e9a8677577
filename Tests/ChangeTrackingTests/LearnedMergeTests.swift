import ObjectStore
import Testing

@testable import ChangeTracking

/// Properties of which a later version of the model says how they are merged.
@Suite struct LearnedMergeTests {
  private func visits(_ kind: MergeKind) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Page",
        attributes: [
          AttributeDescription("ticdsSyncID", .string),
          AttributeDescription("visits", .integer64, defaultValue: .integer(0), userInfo: .merging(kind)),
        ])
    ])
  }

  private func page(_ device: ManagedDevice) throws -> (page: ManagedObject, visits: Int64) {
    device.context.mergePendingChanges()
    let pages = try device.context.fetch(FetchRequest<ManagedObject>(entity: "Page"))
    let page = try #require(pages.first)
    try #require(pages.count == 1)
    guard case .integer(let visits)? = page["visits"] as AttributeValue? else {
      throw ManagedDevice.NotOne(type: "number in Page.visits", count: 0)
    }
    return (page, visits)
  }

  private func visits(_ device: ManagedDevice) throws -> Int64 { try page(device).visits }

  private func visit(_ device: ManagedDevice, times: Int64) throws {
    try device.edit { _ in
      let (page, visits) = try page(device)
      page["visits"] = .integer(visits + times)
    }
  }

  @Test func `a property that is a counter no more shows nothing where nobody wrote it`() throws {
    func model(isCounter: Bool) -> [EntityDeclaration] {
      [
        EntityDeclaration(
          "Page",
          attributes: [
            RenamingTests.syncID,
            .init(
              "visits", .integer64, defaultValue: .integer(10),
              userInfo: isCounter ? .merging(.counter) : [:]),
          ])
      ]
    }
    let old = try VersionedDevice("old", model(isCounter: true))
    let new = try VersionedDevice("new", model(isCounter: false))
    try old.insert("Page", "p")
    try new.receive(from: old)

    try old.upgrade(to: model(isCounter: false))
    try old.push()

    #expect(try new.value("Page", "p", "visits") == .null)
    #expect(try old.value("Page", "p", "visits") == .null)
  }

  @Test(arguments: 1...5)
  func `a property counts on from what it held however many slices the unsent log takes`(limit: Int) throws {
    func model(_ kind: MergeKind) -> [EntityDeclaration] {
      [
        EntityDeclaration(
          "Page", attributes: [RenamingTests.syncID, .init("visits", .integer64, userInfo: .merging(kind))])
      ]
    }
    let desk = try VersionedDevice("desk", model(.latest), setLimit: limit)
    let phone = try VersionedDevice("phone", model(.latest))
    try desk.insert("Page", "p")
    try phone.receive(from: desk)
    try desk.set("Page", "p", "visits", .integer(5))
    try desk.insert("Page", "other")
    for device in [desk, phone] { try device.upgrade(to: model(.counter)) }
    for _ in 0..<2 { try VersionedDevice.synchronize(desk, phone) }

    try phone.set("Page", "p", "visits", .integer(7))
    try VersionedDevice.synchronize(phone, desk)

    for device in [desk, phone] { #expect(try device.value("Page", "p", "visits") == .integer(7)) }
  }

  @Test func `a property counts on from what it held when its entity becomes a root as well`() throws {
    func model(isRoot: Bool) -> [EntityDeclaration] {
      let visits = AttributeDescription(
        "visits", .integer64, defaultValue: .integer(0), userInfo: isRoot ? .merging(.counter) : [:])
      return [
        EntityDeclaration("Item", attributes: [RenamingTests.syncID]),
        EntityDeclaration(
          "Page", parent: isRoot ? nil : "Item",
          attributes: isRoot ? [RenamingTests.syncID, visits] : [visits]),
      ]
    }
    let devices = try ["desk", "phone"].map { try VersionedDevice($0, model(isRoot: false)) }
    let (desk, phone) = (devices[0], devices[1])
    try desk.insert("Page", "p", ["visits": .integer(5)])
    try phone.receive(from: desk)

    for device in devices { try device.upgrade(to: model(isRoot: true)) }
    try desk.set("Page", "p", "visits", .integer(6))
    try phone.set("Page", "p", "visits", .integer(7))
    for (here, there) in [(desk, phone), (phone, desk)] { try there.receive(from: here) }

    for device in devices { #expect(try device.value("Page", "p", "visits") == .integer(8)) }
  }

  @Test(arguments: [true, false])
  func `a property that becomes a counter counts on from what it held`(hasUnsentEdit: Bool) throws {
    let desk = try ManagedDevice("desk", try visits(.latest))
    let phone = try ManagedDevice("phone", try visits(.latest))
    try desk.edit { context in
      let page = try context.insert(entity: "Page")
      page["visits"] = .integer(5)
    }
    try ManagedDevice.exchange(desk, phone)
    if hasUnsentEdit { try visit(desk, times: 2) }

    let newDesk = try ManagedDevice("desk", try visits(.counter), path: desk.path, clock: desk.clock)
    let newPhone = try ManagedDevice("phone", try visits(.counter), path: phone.path, clock: phone.clock)
    try ManagedDevice.exchange(newDesk, newPhone)
    try visit(newDesk, times: 1)
    try visit(newPhone, times: 1)
    try ManagedDevice.exchange(newDesk, newPhone)

    #expect(try visits(newDesk) == (hasUnsentEdit ? 9 : 7))
    #expect(try visits(newPhone) == visits(newDesk))
  }

  @Test func `what was added while a device had an older model is there when it learns to count`() throws {
    let desk = try ManagedDevice("desk", try visits(.counter))
    let phone = try ManagedDevice("phone", try visits(.latest))
    try desk.edit { context in _ = try context.insert(entity: "Page") }
    try ManagedDevice.exchange(desk, phone)
    try visit(desk, times: 4)
    try ManagedDevice.exchange(desk, phone)

    let learned = try ManagedDevice("phone", try visits(.counter), path: phone.path, clock: phone.clock)
    #expect(try visits(learned) == 4)
  }

  @Test func `what a row shows where nobody wrote is not what a counter begins with`() throws {
    func model(_ kind: MergeKind, from value: Int64) -> [EntityDeclaration] {
      [
        EntityDeclaration(
          "Page",
          attributes: [
            RenamingTests.syncID,
            .init(
              "visits", .integer64, isOptional: false, defaultValue: .integer(value),
              userInfo: .merging(kind)),
          ])
      ]
    }
    let device = try VersionedDevice("device", model(.latest, from: 10))
    var author = ScriptedAuthor(7, entities: EntityNames(name: "Page", root: "Page", properties: []))
    _ = try device.replica.receive(
      [author.set(Change("p", at: 10, .insert([])))], policy: .always(.latest))
    try #require(try device.value("Page", "p", "visits") == .integer(10))

    try device.upgrade(to: model(.counter, from: 0))
    try device.push()

    #expect(try device.value("Page", "p", "visits") == .integer(0))
  }
}
