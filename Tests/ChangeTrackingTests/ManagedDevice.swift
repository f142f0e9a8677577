import ByteFixtures
import Foundation
import ObjectStore
import TemporaryFolders

@testable import ChangeTracking

/// One device with an object store on disk, a context that records, and a replica.
final class ManagedDevice {
  let context: ManagedObjectContext
  let replica: Replica
  let clock: TestClock
  let path: String
  /// Where the store lies, and copies of it.
  let folder: TemporaryFolder
  private(set) var pushed: [ReceivedSet] = []

  init(
    _ client: String, _ model: ManagedObjectModel, path: String? = nil, clock: TestClock = TestClock(),
    setLimit: Int = 10_000, sliceLimit: Int = 2_000
  ) throws {
    let seed = client.utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
    self.clock = clock
    folder = try TemporaryFolder()
    self.path = path ?? folder.file("store.sqlite")
    let store = try PersistentStore(model: model, path: self.path)
    context = try store.newContext()
    var configuration = Replica.Configuration(
      client: client, clock: clock, seed: seed &+ 1, setLimit: setLimit)
    configuration.sliceLimit = sliceLimit
    replica = try store.newReplica(configuration)
  }

  /// One unit of work of the user, at a time of its own.
  @discardableResult
  func edit<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
    clock.advance(1_000)
    context.mergePendingChanges()
    let result = try body(context)
    guard context.hasChanges else { throw NothingToSave() }
    try context.save()
    return result
  }

  /// The only object of a class.
  func the<Object: ManagedObject>(_ type: Object.Type) throws -> Object {
    context.mergePendingChanges()
    let objects = try context.fetch(FetchRequest<Object>())
    guard let object = objects.first, objects.count == 1 else {
      throw NotOne(type: "\(type)", count: objects.count)
    }
    return object
  }

  /// A class of which there should be one object.
  struct NotOne: Error, CustomStringConvertible {
    var type: String
    var count: Int
    var description: String { "There are \(count) objects of \(type) where a test presumes one." }
  }

  /// A unit of work that leaves nothing to save.
  struct NothingToSave: Error, CustomStringConvertible {
    var description: String { "An edit changed nothing, so the test presumes something that is not so." }
  }

  /// Makes sets of the edits so far; they count as pushed.
  @discardableResult
  func push() throws -> [ReceivedSet] {
    let new = try replica.push()
    pushed += new
    return new
  }

  @discardableResult
  func receive(_ sets: [ReceivedSet], policy: ConflictPolicy = .always(.latest)) throws -> ApplyReport {
    try replica.receive(sets, policy: policy)
  }

  /// Both hand each other what they have done since the last time.
  static func exchange(_ left: ManagedDevice, _ right: ManagedDevice) throws {
    let fromLeft = try left.push()
    let fromRight = try right.push()
    try left.receive(fromRight)
    try right.receive(fromLeft)
  }
}
