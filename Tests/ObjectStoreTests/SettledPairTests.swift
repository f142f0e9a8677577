import ObjectStore
import Testing

/// One-to-one relationships when a policy settles what others have saved: both sides agree afterwards.
@Suite struct SettledPairTests {
  final class Driver: ManagedObject {
    @Attribute var name: String = ""
    @ToOne(inverse: \Car.driver) var car: Car?
  }

  final class Car: ManagedObject {
    @ToOne var driver: Driver?
  }

  private let fixture: TemporaryStore
  private let mine: ManagedObjectContext
  private let theirs: ManagedObjectContext
  private let drivers: [Driver]
  private let car: Car

  /// A car of the first of three drivers.
  init() throws {
    fixture = try TemporaryStore(ManagedObjectModel(Driver.self, Car.self))
    let context = try fixture.store.newContext()
    drivers = try ["a", "b", "c"].map { name in try context.insert(Driver.self) { $0.name = name } }
    car = try context.insert(Car.self)
    drivers[0].car = car
    try context.save()
    mine = context
    theirs = try fixture.store.newContext()
  }

  private func saveTheirs(_ change: ([Driver]) throws -> Void) throws {
    try change(drivers.map { try #require(try theirs.existingObject(for: $0.objectID) as? Driver) })
    try theirs.save()
  }

  private func expectPairs() throws {
    let context = try fixture.store.newContext()
    for driver in try context.fetch(Driver.self) {
      #expect(driver.car?.driver === driver || driver.car == nil)
    }
    for car in try context.fetch(Car.self) { #expect(car.driver?.car === car || car.driver == nil) }
  }

  @Test(arguments: [MergePolicy.rollback, .storeWins, .objectWins])
  func `a deletion that is given up leaves its partner to whom that was given`(policy: MergePolicy) throws {
    mine.mergePolicy = policy
    mine.delete(drivers[0])
    drivers[1].car = car
    try saveTheirs { $0[0].name = "changed" }

    try mine.save()

    try expectPairs()
  }

  @Test(arguments: [MergePolicy.rollback, .storeWins, .objectWins], [true, false])
  func `what both gave to somebody has one of them`(policy: MergePolicy, merges: Bool) throws {
    mine.mergePolicy = policy
    mine.mergesChangesAutomatically = merges
    drivers[1].car = car
    try saveTheirs { drivers in drivers[2].car = drivers[0].car }

    try mine.save()

    try expectPairs()
  }

  @Test(arguments: [MergePolicy.rollback, .storeWins, .objectWins])
  func `what is deleted after others paired it leaves their object alone, whatever was set here`(
    policy: MergePolicy
  ) throws {
    mine.mergePolicy = policy
    drivers[1].car = car
    try saveTheirs { drivers in drivers[2].car = drivers[0].car }
    mine.mergePendingChanges()

    mine.delete(car)
    try mine.save()

    try expectPairs()
  }

  @Test(arguments: [MergePolicy.rollback, .storeWins, .objectWins])
  func `the same of the side that declares no inverse`(policy: MergePolicy) throws {
    mine.mergePolicy = policy
    drivers[1].car = try mine.insert(Car.self)
    try saveTheirs { drivers in drivers[1].car = drivers[0].car }
    mine.mergePendingChanges()

    mine.delete(drivers[1])
    try mine.save()

    try expectPairs()
  }
}
