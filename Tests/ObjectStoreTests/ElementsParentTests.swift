import CoreDataFormats
import Foundation
import ObjectStore
import SampleFiles
import Testing

/// Parents of entities in model archives of Xcode before 4.3. No published one has any, so one is put into a specimen.
@Suite(.needsSamples) struct ElementsParentTests {
  private var objects: [PropertyList]
  private let archive: [String: PropertyList]

  init() throws {
    let bytes = [UInt8](try Data(contentsOf: Samples.url("evidence/tripaccount_Model.elements")))
    archive = try #require(try BinaryPropertyList.decode(bytes).dictionaryValue)
    objects = try #require(archive["$objects"]?.arrayValue)
  }

  private func entity(_ name: String) throws -> Int {
    try #require(
      objects.firstIndex { object in
        guard let fields = object.dictionaryValue, let own = fields["_name"]?.uidValue,
          let type = fields["$class"]?.uidValue
        else { return false }
        return objects[Int(own)].stringValue == name
          && objects[Int(type)].dictionaryValue?["$classname"] == .string("XDPMEntity")
      })
  }

  /// Gives an entity generalizations that lead to others.
  private mutating func generalize(_ name: String, to parents: [PropertyList]) throws {
    let child = try entity(name)
    var fields = try #require(objects[child].dictionaryValue)
    let storage = Int(try #require(fields["XDBucketForGeneralizationsstorage"]?.uidValue))
    var list = try #require(objects[storage].dictionaryValue)
    func add(_ object: PropertyList) -> PropertyList {
      objects.append(object)
      return .uid(UInt32(objects.count - 1))
    }
    let type = add(
      .dictionary([
        "$classname": .string("XDPMGeneralization"),
        "$classes": .array([.string("XDPMGeneralization"), .string("NSObject")]),
      ]))
    list["NS.objects"] = .array(
      parents.map { add(.dictionary(["$class": type, "_general": $0, "_specific": .uid(UInt32(child))])) })
    // The empty list may be shared by all entities.
    fields["XDBucketForGeneralizationsstorage"] = add(.dictionary(list))
    objects[child] = .dictionary(fields)
  }

  private func model() throws -> ManagedObjectModel {
    var archive = archive
    archive["$objects"] = .array(objects)
    return try ManagedObjectModel(modelFile: BinaryPropertyList.encode(.dictionary(archive)))
  }

  private func names() throws -> [String] { try model().entities.map(\.name) }

  @Test mutating func `an entity has the parent that its generalization leads to`() throws {
    let names = try names()
    let parent = try entity(names[0])

    try generalize(names[1], to: [.uid(UInt32(parent))])

    let model = try model()
    let child = try #require(model.entity(named: names[1]))
    #expect(child.parent?.name == names[0])
    #expect(model.entities.filter { $0.parent != nil }.count == 1)
  }

  @Test mutating func `several parents, and a parent without a name, are refused`() throws {
    let names = try names()
    let (first, second) = (try entity(names[0]), try entity(names[2]))
    let before = objects

    try generalize(names[1], to: [.uid(UInt32(first)), .uid(UInt32(second))])
    #expect(throws: ModelFileError.self) { try model() }

    objects = before
    try generalize(names[1], to: [.uid(0)])
    #expect(throws: ModelFileError.self) { try model() }
  }
}
