import ObjectStore
import Testing

@testable import ChangeTracking

/// Objects of different roots that the application gave one identifier, as a server's user and profile may have.
@Suite struct SharedIdentifierTests {
  private let here: ManagedDevice
  private let there: ManagedDevice

  final class User: ManagedObject {
    @Attribute(indexed: true) var ticdsSyncID: String?
    @Attribute var name: String = ""
  }

  final class Profile: ManagedObject {
    @Attribute(indexed: true) var ticdsSyncID: String?
    @Attribute var motto: String = ""
  }

  init() throws {
    let model = try ManagedObjectModel(User.self, Profile.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
  }

  private func insertUser(_ context: ManagedObjectContext) throws {
    try context.insert(User.self) {
      $0.ticdsSyncID = "same"
      $0.name = "Ann"
    }
  }

  private func insertProfile(_ context: ManagedObjectContext) throws {
    try context.insert(Profile.self) {
      $0.ticdsSyncID = "same"
      $0.motto = "on"
    }
  }

  private func expectBothEverywhere() throws {
    try ManagedDevice.exchange(here, there)
    for device in [here, there] {
      #expect(try device.the(User.self).ticdsSyncID == "same")
      #expect(try device.the(User.self).name == "Ann")
      #expect(try device.the(Profile.self).ticdsSyncID == "same")
      #expect(try device.the(Profile.self).motto == "on")
    }
  }

  @Test func `saved at once, both keep it and are one object each`() throws {
    try here.edit {
      try insertUser($0)
      try insertProfile($0)
    }
    try expectBothEverywhere()
  }

  @Test func `saved one after the other between two sets, both keep it and are one object each`() throws {
    try here.edit { try insertUser($0) }
    try here.edit { try insertProfile($0) }
    try expectBothEverywhere()
  }
}
