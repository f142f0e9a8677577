import Foundation
import ObjectStore
import TemporaryFolders
import Testing

/// What a class says about its properties in `details`, because no other argument says it.
@Suite struct DeclarationDetailsTests {
  final class Place: ManagedObject {
    @Attribute(details: { $0.preservesValueOnDeletion = true }) var name: String?
    @Attribute(details: { $0.name = "isDeleted" }) var isDeletedValue: Bool?
    @ToMany(details: { $0.isOptional = false }) var trips: Set<Trip>
  }

  final class Trip: ManagedObject {
    @ToOne(
      inverse: \Place.trips,
      details: {
        $0.name = "context"
        $0.minimumCount = 1
      }) var place: Place?
  }

  @Test func `details enter the model and its version hashes`() throws {
    let declared = try ManagedObjectModel(Place.self, Trip.self)
    var name = AttributeDescription("name", .string)
    name.preservesValueOnDeletion = true
    let wanted = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Place", attributes: [name, .init("isDeleted", .boolean)],
        relationships: [.init("trips", to: "Trip", inverse: "context", isToMany: true, isOptional: false)]),
      EntityDeclaration(
        "Trip",
        relationships: [.init("context", to: "Place", inverse: "trips", isToMany: false, minimumCount: 1)]),
    ])

    #expect(declared.versionHashes == wanted.versionHashes)
    #expect(declared.entity(named: "Place")?.attribute(at: 1)?.preservesValueOnDeletion == true)
  }

  @Test func `a property with another name in the model is read, written, fetched and sorted by`() throws {
    let folder = try TemporaryFolder()
    let store = try PersistentStore(
      model: ManagedObjectModel(Place.self, Trip.self), path: folder.file("store"))
    let context = try store.newContext()
    let place = try context.insert(Place.self)
    place.isDeletedValue = true
    try context.insert(Place.self).isDeletedValue = false
    try context.insert(Trip.self).place = place
    try context.save()

    let other = try store.newContext()
    let found = try other.fetch(FetchRequest<Place>().where(\.isDeletedValue == true))

    #expect(found.count == 1 && found.first?["isDeleted"] == .boolean(true) && found.first?.trips.count == 1)
    #expect(
      try other.fetch(FetchRequest<Place>().sorted(by: \.isDeletedValue)).map(\.isDeletedValue) == [
        false, true,
      ])
    #expect(try other.fetch(FetchRequest<Trip>()).first?.place === found.first)
    withExtendedLifetime(folder) {}
  }

  final class Stamped: ManagedObject {
    @Attribute var id: UUID = UUID()
    @Attribute var ratio: Double = .nan
  }

  @Test func `an initial value that is another each time is refused, for all objects would have the same`() {
    let error = #expect(throws: ModelError.self) { try ManagedObjectModel(Stamped.self) }

    #expect(error?.problems.map(\.property) == ["id"])
    #expect(error?.description.contains("awakeFromInsert") == true)
  }
}
