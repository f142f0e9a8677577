import BackendConformance
import Foundation
import TICDS
import TemporaryFolders
import Testing

final class Chore: ManagedObject {
  @Attribute var title: String = ""
  @Attribute(indexed: true) var ticdsSyncID: String?
}

/// Its author has forgotten what makes an entity synchronised.
final class Plain: ManagedObject {
  @Attribute var title: String = ""
}

final class Misspelt: ManagedObject {
  @Attribute var title: String = ""
  @Attribute var ticdsSyncId: String?
}

final class Numbered: ManagedObject {
  @Attribute var ticdsSyncID: Int64 = 0
}

@Suite struct SyncedStoreTests {
  @Test func `a model of which nothing would be synchronised is refused, with what may have been meant`()
    throws
  {
    let models = [
      (try ManagedObjectModel(Plain.self), "(Plain)"),
      (try ManagedObjectModel(Misspelt.self), "“Misspelt.ticdsSyncId” is spelt differently"),
      (try ManagedObjectModel(Numbered.self), "“Numbered.ticdsSyncID” is of the type"),
    ]
    for (index, (model, words)) in models.enumerated() {
      let error = #expect(throws: NoSyncIDError.self) {
        try SyncedStore(
          model: model, at: folder.file("none-\(index)"), application: "org.example.chores", through: remote,
          device: "a", encryption: .none)
      }
      #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }
    // Some entities may well stay on the device.
    _ = try SyncedStore(
      model: ManagedObjectModel(Plain.self, Chore.self), at: folder.file("some"),
      application: "org.example.chores", through: remote, device: "a", encryption: .none)
  }

  private let folder: TemporaryFolder
  private let remote = MemoryBackend()

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ device: String, _ encryption: EncryptionChoice = .none, keys: (any KeyStorage)? = nil
  ) throws -> SyncedStore {
    try SyncedStore(
      model: ManagedObjectModel(Chore.self), at: folder.file("\(device).sqlite"),
      application: "com.example.chores", through: remote, device: "The \(device)", encryption: encryption,
      keys: keys)
  }

  private func add(_ title: String, to chores: SyncedStore) throws {
    let context = try chores.store.newContext()
    try context.insert(Chore.self).title = title
    try context.save()
  }

  private func titles(_ chores: SyncedStore) throws -> [String] {
    try chores.store.newContext().fetch(FetchRequest<Chore>().sorted(by: \.title)).map(\.title)
  }

  @Test
  func `a device that takes part begins anew with a whole store, and nothing of its former store is sent`()
    async throws
  {
    let laptop = try open("laptop")
    try add("water the plants", to: laptop)
    try await laptop.synchronize()
    try await laptop.document.uploadStore()
    var phone: SyncedStore? = try open("phone")
    try await phone?.synchronize()
    try add("never sent", to: #require(phone))
    let application = try #require(phone).application
    let former = try await #require(phone).document.status().replica.author
    let model = try ManagedObjectModel(Chore.self)
    func replace() async throws -> BegunStore {
      try await application.document("document").replaceStore(
        at: folder.file("phone.sqlite"),
        opening: { try PersistentStore(model: model, path: $0).newReplica(.init(client: "phone")) },
        making: { _ = try PersistentStore(model: model, path: $0) })
    }
    // Nothing is exchanged below anybody.
    await #expect(throws: SyncError.self) { try await replace() }
    #expect(try titles(#require(phone)) == ["never sent", "water the plants"])

    phone = nil
    #expect(try await replace().store != nil)
    let anew = try open("phone")
    #expect(try titles(anew) == ["water the plants"])
    try await anew.synchronize()
    try add("buy milk", to: anew)
    for _ in 0..<2 { for device in [anew, laptop] { try await device.synchronize() } }
    for device in [anew, laptop] { #expect(try titles(device) == ["buy milk", "water the plants"]) }
    // What it was before is a device that does not come back; whoever likes removes it.
    try await laptop.document.removeDevice(former)
    try await anew.synchronize()
    #expect(try await anew.document.status().isRemoved == false)
  }

  @Test func `what one device saves shows on the other`() async throws {
    let laptop = try open("laptop")
    let phone = try open("phone")
    try add("water the plants", to: laptop)
    try await laptop.synchronize()
    try await phone.synchronize()
    #expect(try titles(phone) == ["water the plants"])
  }

  @Test func `devices are known by their names`() async throws {
    let laptop = try open("laptop")
    let phone = try open("phone")
    try add("water the plants", to: laptop)
    try await laptop.synchronize()
    try await phone.synchronize()
    let devices = try await phone.document.status().devices
    #expect(Set(devices.map(\.name)) == ["The laptop", "The phone"])
  }

  @Test func `a store that is opened again is the same device`() async throws {
    try await open("laptop").synchronize()
    let again = try open("laptop")
    try add("water the plants", to: again)
    let report = try await again.synchronize()
    #expect(report.pushed > 0)
    #expect(try await again.document.status().devices.count == 1)
  }

  @Test func `a copy of a store is a device of its own`() async throws {
    let laptop = try open("laptop")
    try add("water the plants", to: laptop)
    try await laptop.synchronize()
    _ = try laptop.store.newReplica(.init()).snapshot(to: folder.file("phone.sqlite"))
    let phone = try open("phone")
    try await phone.synchronize()
    #expect(phone.application.configuration.client != laptop.application.configuration.client)
    #expect(try titles(phone) == ["water the plants"])
  }

  @Test func `with a wrong password nothing is written, and the right one is taken later`() async throws {
    let laptop = try open("laptop", .password("correct horse"))
    try add("water the plants", to: laptop)
    try await laptop.synchronize()
    let error = await #expect(throws: SyncError.self) {
      try await open("phone", .password("incorrect horse")).synchronize()
    }
    #expect(error?.code == .wrongPassword)
    let phone = try open("phone", .password("correct horse"))
    try await phone.synchronize()
    #expect(try titles(phone) == ["water the plants"])
  }

  @Test func `with kept keys, later runs need neither the password nor a request for it`() async throws {
    let keys = PrivateKeyFile(path: folder.file("laptop.keys"))
    try await open("laptop", .password("correct horse"), keys: keys).synchronize()
    let again = try open("laptop", .password("forgotten"), keys: keys)
    #expect(try await again.synchronize().requests == 1)
  }

  @Test func `the password of keys that came in the place of the kept ones is taken up after a restart`()
    async throws
  {
    let (laptopKeys, phoneKeys) = (
      PrivateKeyFile(path: folder.file("laptop.keys")), PrivateKeyFile(path: folder.file("phone.keys"))
    )
    let laptop = try open("laptop", .password("first password"), keys: laptopKeys)
    try await laptop.synchronize()
    try await open("phone", .password("first password"), keys: phoneKeys).synchronize()
    try laptopKeys.save(await laptop.application.replaceKeys(password: "second password"))
    try add("water the plants", to: laptop)
    try await laptop.synchronize()

    let uninformed = try open("phone", .password("first password"), keys: phoneKeys)
    try await uninformed.synchronize()
    #expect(try titles(uninformed).isEmpty)
    let informed = try open("phone", .password("second password"), keys: phoneKeys)
    try await informed.synchronize()
    #expect(try titles(informed) == ["water the plants"])
    #expect(try await open("phone", .none, keys: phoneKeys).synchronize().findings.isEmpty)
  }

  @Test func `keys that were lost are unlocked with the password once more`() async throws {
    let keys = PrivateKeyFile(path: folder.file("laptop.keys"))
    try await open("laptop", .password("correct horse"), keys: keys).synchronize()
    let other = PrivateKeyFile(path: folder.file("other.keys"))
    let again = try open("laptop", .password("correct horse"), keys: other)
    try add("water the plants", to: again)
    try await again.synchronize()
    #expect(try other.load()?.primary.identifier == keys.load()?.primary.identifier)
  }

  @Test func `a remote that was lost is refilled after a restart, with nothing but the password`()
    async throws
  {
    let laptop = try open("laptop", .password("correct horse"))
    try add("water the plants", to: laptop)
    try await laptop.synchronize()
    try await remote.remove(laptop.application.hierarchy.root)
    let again = try open("laptop", .password("correct horse"))
    let error = await #expect(throws: SyncError.self) { try await again.synchronize() }
    #expect(error?.code == .documentNotFound)
    #expect(remote.files.isEmpty)
    try await again.document.refill()
    let phone = try open("phone", .password("correct horse"))
    try await phone.synchronize()
    #expect(try titles(phone) == ["water the plants"])
  }

  @Test func `with a wrong password a member creates nothing where the remote was lost`() async throws {
    let laptop = try open("laptop", .password("correct horse"))
    try await laptop.synchronize()
    try await remote.remove(laptop.application.hierarchy.root)
    let error = await #expect(throws: SyncError.self) {
      try await open("laptop", .password("incorrect horse")).synchronize()
    }
    #expect(error?.code == .wrongPassword)
    #expect(remote.files.isEmpty)
  }

  @Test func `a restart with the password reads nothing of the remote for the keys`() async throws {
    let laptop = try open("laptop", .password("correct horse"))
    try await laptop.synchronize()
    remote.refuse(laptop.application.hierarchy.root, with: .failed)
    remote.refuse(laptop.application.hierarchy.encryption, with: .failed)
    #expect(try await open("laptop", .password("correct horse")).synchronize().requests == 1)
  }

  @Test func `kept keys that are damaged are unlocked with the password once more`() async throws {
    let keys = PrivateKeyFile(path: folder.file("laptop.keys"))
    try await open("laptop", .password("correct horse"), keys: keys).synchronize()
    let ring = try keys.load()
    try Data("damaged".utf8).write(to: URL(filePath: keys.path))
    try await open("laptop", .password("correct horse"), keys: keys).synchronize()
    #expect(try keys.load()?.primary.identifier == ring?.primary.identifier)
  }

  @Test func `saves are sent by themselves`() async throws {
    let schedule = SyncSchedule(rest: .zero, longestRest: .zero, interval: nil)
    let laptop = try open("laptop")
    let automatic = await laptop.synchronizeAutomatically(schedule: schedule)
    let outcomes = await automatic.outcomes
    try add("water the plants", to: laptop)
    for await outcome in outcomes where try outcome.get().pushed > 0 { break }
    let phone = try open("phone")
    try await phone.synchronize()
    #expect(try titles(phone) == ["water the plants"])
    await automatic.stop()
  }

  @Test func `an application whose identifier names no folder is refused`() throws {
    let error = #expect(throws: SyncError.self) {
      try SyncedStore(
        model: ManagedObjectModel(Chore.self), at: folder.file("laptop.sqlite"), application: "../elsewhere",
        through: remote, device: "laptop", encryption: .none)
    }
    #expect(error?.code == .invalidIdentifier)
  }

  @Test(arguments: JoiningChoice.allCases)
  func `a store that holds objects joins as was chosen`(_ choice: JoiningChoice) async throws {
    func fill(_ device: String, joining: JoiningChoice = .merge) throws -> SyncedStore {
      let opened = try SyncedStore(
        model: ManagedObjectModel(Chore.self), at: folder.file("\(device).sqlite"),
        application: "com.example.chores", through: remote, device: device, encryption: .none,
        joining: joining)
      let context = try opened.store.newContext()
      let chore = try context.insert(Chore.self)
      (chore.title, chore.ticdsSyncID) = ("of the \(device)", "the same")
      try context.save()
      return opened
    }
    let laptop = try fill("laptop")
    try await laptop.synchronize()
    let phone = try fill("phone", joining: choice)

    for device in [phone, laptop] { try await device.synchronize() }

    for device in [phone, laptop] {
      let titles = try device.store.newContext().fetch(FetchRequest<Chore>()).map(\.title)
      #expect(titles == [choice == .theirs ? "of the laptop" : "of the phone"])
    }
  }
}
