import Foundation
import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

/// Stores of the kind that Core Data has on macOS alone.
@Suite struct XMLStoreFileTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    model = try ManagedObjectModel(Note.self, Folder.self, Tag.self)
    path = folder.file("store.xml")
    try write()
  }

  private func write(_ more: String = "") throws {
    let hashes = model.entities.map { entity in
      "<key>\(entity.name)</key><data>\(Data(entity.versionHash).base64EncodedString())</data>"
    }
    let text = """
      <?xml version="1.0"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
      <database><databaseInfo><version>134481920</version><UUID>8C14BE4B-3F6B-4EBB-8502-7F2A8209504E</UUID>
      <nextObjectID>120</nextObjectID><metadata><plist version="1.0"><dict>
      <key>NSStoreModelVersionHashes</key><dict>\(hashes.joined())</dict><key>own</key><string>mine</string>
      </dict></plist></metadata></databaseInfo>
      <object type="FOLDER" id="z102"><attribute name="name" type="string">Inbox</attribute>
      <relationship name="parent" type="0/1" destination="FOLDER"></relationship>
      <relationship name="children" type="0/0" destination="FOLDER"></relationship>
      <relationship name="notes" type="0/0" destination="NOTE" idrefs="z103"></relationship></object>
      <object type="NOTE" id="z103"><attribute name="title" type="string">a \\u3c00b\\u3e00</attribute>
      <attribute name="stars" type="int16">3</attribute><attribute name="weight" type="double">0.5</attribute>
      <attribute name="modified" type="date">100.25</attribute>
      <attribute name="picture" type="binary">AAEC</attribute>
      <relationship name="folder" type="0/1" destination="FOLDER" idrefs="z102"></relationship>
      <relationship name="tags" type="0/0" destination="TAG" idrefs="z104"></relationship></object>
      <object type="TAG" id="z104"><attribute name="name" type="string">red</attribute>
      <relationship name="notes" type="0/0" destination="NOTE" idrefs="z103"></relationship></object>
      \(more)</database>
      """
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  @Test func `one is read with its model, and verified`() throws {
    let store = try StoreFile(path: path, model: model)

    #expect(store.kind == .xml && store.uuid == "8C14BE4B-3F6B-4EBB-8502-7F2A8209504E")
    #expect(store.hashDifferences.isEmpty)
    let objects = try store.objects().allObjects()
    let note = try #require(objects.first { model.entities[$0.reference.entity].name == "Note" })
    let entity = try #require(model.entity(named: "Note"))
    func value(_ name: String) -> AttributeValue? {
      entity.properties.firstIndex { $0.name == name }.map { note.attributes[$0] }
    }
    #expect(note.reference.key == 103)
    #expect(value("title") == .string("a <b>"))
    #expect(value("stars") == .integer(3))
    #expect(value("picture") == .data([0, 1, 2]))
    var findings: [StoreFinding] = []
    try store.verify { findings.append($0) }
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test(arguments: StoreFile.Kind.writable)
  func `a copy as another kind has the same objects, keys and metadata`(kind: StoreFile.Kind) throws {
    let original = try StoreFile(path: path, model: model)
    let copied = folder.file("copy")

    try original.copy(to: copied, as: kind)

    let copy = try StoreFile(path: copied)
    #expect(copy.uuid == original.uuid && copy.versionHashes == original.versionHashes)
    #expect(copy.metadata["own"] == .string("mine"))
    #expect(try copy.objects().allObjects() == original.objects().allObjects())
    if kind == .sqlite {
      let context = try PersistentStore(model: model, path: copied).newContext()
      let note = try #require(try context.fetch(FetchRequest<Note>()).first)
      #expect(note.folder?.name == "Inbox" && note.tags.map(\.name) == ["red"])
      let added = try context.insert(Folder.self)
      try context.save()
      #expect(added.objectID.description.hasSuffix("p120"), "\(added.objectID)")
    }
  }

  @Test func `none is written`() throws {
    let error = #expect(throws: StoreFileError.self) {
      try StoreFile(path: path, model: model).copy(to: folder.file("copy"))
    }
    #expect(error?.code == .notWritten)
    #expect(!FileManager.default.fileExists(atPath: folder.file("copy")))
  }

  @Test func `without a model entities have the names of the hashes, and properties those in the file`()
    throws
  {
    let store = try StoreFile(path: path)

    #expect(store.modelOrigin == .derived)
    #expect(Set(store.model.entities.map(\.name)) == ["Folder", "Note", "Tag"])
    let note = try #require(store.model.entity(named: "Note"))
    #expect(note.property(named: "title") != nil && note.property(named: "tags") != nil)
    #expect(try store.objectCounts().reduce(0, +) == 3)
  }

  @Test(arguments: [
    "<object type='NOTE' id='z110'><attribute name='colour' type='string'>x</attribute></object>",
    "<object type='NOTE' id='z110'><attribute name='stars' type='string'>x</attribute></object>",
    "<object type='OTHER' id='z110'/>",
  ])
  func `what the model does not explain is refused`(more: String) throws {
    try write(more)
    #expect(throws: (any Error).self) { try StoreFile(path: path, model: model).objects() }
  }

  @Test(arguments: ["z9", "elsewhere"])
  func `a link to an object that is not there is found, and all else is read`(target: String) throws {
    try write(
      "<object type='NOTE' id='z110'><relationship name='folder' type='0/1' destination='FOLDER' idrefs='\(target)'/></object>"
    )
    let store = try StoreFile(path: path, model: model)

    var findings: [StoreFinding] = []
    try store.verify { findings.append($0) }
    try store.copy(to: folder.file("copy"), as: .binary)

    #expect(try store.objects().allObjects().count == 4)
    #expect(findings.contains { $0.kind == .danglingReference && $0.property == "folder" }, "\(findings)")
    #expect(try StoreFile(path: folder.file("copy")).objects().allObjects().count == 4)
  }

  @Test func `a model that is not the store's is refused`() throws {
    let other = try ManagedObjectModel(Tag.self, Note.self, Folder.self, Other.self)
    let error = #expect(throws: StoreFileError.self) { try StoreFile(path: path, model: other) }
    #expect(error?.code == .otherModel)
  }
}

private final class Other: ManagedObject {
  @Attribute var name: String = ""
}
