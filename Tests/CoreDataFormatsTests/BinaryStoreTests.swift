import CoreDataFormats
import SampleFiles
import Testing

@Suite struct BinaryStoreTests {
  static let store = BinaryStore(
    nodes: [
      BinaryStore.Node(
        primaryKey: 1, entityName: "Folder",
        attributeValues: [.string("Inbox"), .null, .date(0.5), .set([.integer(1)]), .null],
        relatedNodes: ["notes": .many([2, 9]), "parent": .one(1), "others": .many([])]),
      BinaryStore.Node(primaryKey: 2, entityName: "Note", attributeValues: [.data([0]), .boolean(true)]),
      BinaryStore.Node(primaryKey: 9, entityName: "Note", attributeValues: [.null, .null]),
    ],
    metadata: [
      "NSStoreType": .string("Binary"), "NSStoreUUID": .string("8C14BE4B-3F6B-4EBB-8502-7F2A8209504E"),
      "NSStoreModelVersionHashes": .dictionary([.string("Note"): .data([1, 2])]),
    ], lastPrimaryKey: 12)

  @Test func `a store comes back as it was written`() throws {
    let read = try BinaryStore(Self.store.encoded())

    #expect(read == Self.store)
    #expect(read.versionHashes == ["Note": [1, 2]])
    #expect(read.storeUUID == "8C14BE4B-3F6B-4EBB-8502-7F2A8209504E")
  }

  @Test func `the generation is never below the largest key`() throws {
    var store = Self.store
    store.lastPrimaryKey = 0

    #expect(try BinaryStore(store.encoded()).lastPrimaryKey == 9)
  }

  @Test func `named attributes of very old writers survive`() throws {
    var node = BinaryStore.Node(primaryKey: 1, entityName: "Note", attributeValues: [])
    node.namedAttributes = ["title": .string("a")]

    let read = try BinaryStore(BinaryStore(nodes: [node], metadata: [:]).encoded())

    #expect(read.nodes == [node])
  }

  @Test(arguments: [[0], [-1], [1, 1]] as [[Int64]])
  func `keys that Core Data could not read back are refused`(keys: [Int64]) {
    let nodes = keys.map { BinaryStore.Node(primaryKey: $0, entityName: "Note", attributeValues: []) }

    let error = #expect(throws: CoreDataFormatError.self) {
      try BinaryStore(nodes: nodes, metadata: [:]).encoded()
    }

    #expect(error?.code == .notEncodable)
  }

  @Test func `no bytes are an empty store`() throws {
    #expect(try BinaryStore([]) == BinaryStore(nodes: [], metadata: [:]))
  }

  @Test func `every truncation is refused`() throws {
    let bytes = try Self.store.encoded()

    for length in 1..<bytes.count {
      #expect(throws: CoreDataFormatError.self) { try BinaryStore(Array(bytes[..<length])) }
    }
  }

  @Test(arguments: [
    (0, 0x63, CoreDataFormatError.Code.otherFormat, 0), (11, 2, .unsupported, 8), (12, 9, .unsupported, 12),
    (16, 1, .truncated, 16), (24, 0xFF, .truncated, 16), (39, 10, .malformed, 32), (40, 1, .truncated, 32),
    (48, 0x80, .malformed, 48),
  ])
  func `a wrong header field is named by its offset`(
    at position: Int, value: UInt8, code: CoreDataFormatError.Code, offset: Int
  ) throws {
    var bytes = try Self.store.encoded()
    bytes[position] = value

    let error = #expect(throws: CoreDataFormatError.self) { try BinaryStore(bytes) }

    #expect(error?.code == code)
    #expect(error?.offset == offset)
  }

  @Test func `damage inside an archive is named by its offset in the file`() throws {
    var bytes = try Self.store.encoded()
    bytes[64] = 0

    let error = #expect(throws: CoreDataFormatError.self) { try BinaryStore(bytes) }

    #expect(error?.offset == 64)
  }

  @Test func `a class that Core Data would not accept is refused unless allowed`() throws {
    let color = ArchivedObject.record(ArchivedRecord(classes: ["NSColor", "NSObject"], fields: [:]))
    let node = BinaryStore.Node(primaryKey: 1, entityName: "Note", attributeValues: [color])
    let bytes = try BinaryStore(nodes: [node], metadata: [:]).encoded()

    #expect(#expect(throws: CoreDataFormatError.self) { try BinaryStore(bytes) }?.code == .classNotAllowed)
    #expect(try BinaryStore(bytes, allowing: .any).nodes == [node])
  }
}

@Suite(.needsSamples) struct BinaryStoreSampleTests {
  /// What an independent decoder found in the files of two applications' settings, one written by macOS 10.14 and one by 10.15.
  struct Expectation: Sendable, CustomTestStringConvertible {
    var file: String
    var uuid: String
    var lastPrimaryKey: Int64
    var objects: [String: Int]
    var testDescription: String { file }
  }

  static let expectations = [
    Expectation(
      file: "binary/sm_mute-civilian_34be5f5.smsetting", uuid: "8C14BE4B-3F6B-4EBB-8502-7F2A8209504E",
      lastPrimaryKey: 128,
      objects: ["Application": 3, "CursorSpeed": 10, "Action": 16, "Device": 2, "UserInfo": 1]),
    Expectation(
      file: "binary/sm_vozhyk-_f4a0d22.smsetting", uuid: "34973085-0C94-4181-944E-0801639FDAF9",
      lastPrimaryKey: 306,
      objects: ["Action": 33, "Application": 3, "CursorSpeed": 10, "UserInfo": 1, "Device": 2]),
  ]

  @Test(arguments: expectations)
  func `a real store shows all its objects and comes back as it was written`(expected: Expectation) throws {
    let store = try BinaryStore(Samples.bytes(expected.file))

    #expect(store.storeUUID == expected.uuid)
    #expect(store.lastPrimaryKey == expected.lastPrimaryKey)
    #expect(Dictionary(store.nodes.map { ($0.entityName, 1) }, uniquingKeysWith: +) == expected.objects)
    #expect(store.versionHashes.count == 5)
    #expect(store.versionHashes.values.allSatisfy { $0.count == 32 })
    #expect(try BinaryStore(store.encoded()) == store)
  }

  @Test func `relationships of a real store lead to objects of the store`() throws {
    let store = try BinaryStore(Samples.bytes("binary/sm_mute-civilian_34be5f5.smsetting"))
    let keys = Set(store.nodes.map(\.primaryKey))

    let speed = try #require(store.nodes.first { $0.primaryKey == 35 })

    #expect(speed.relatedNodes["device"] == .one(11))
    #expect(speed.attributeValues.count == 10)
    #expect(speed.attributeValues.last == .null)
    #expect(
      store.nodes.allSatisfy { $0.relatedNodes.values.allSatisfy { keys.isSuperset(of: $0.primaryKeys) } })
  }

  @Test func `the worked example of the format description is read`() throws {
    let store = try BinaryStore(Samples.bytes("generated/one-change.syncchg"))

    #expect(store.lastPrimaryKey == 2)
    #expect(
      store.nodes == [
        BinaryStore.Node(
          primaryKey: 2, entityName: "TICDSSyncChange",
          attributeValues: [
            .integer(2), .string("New title"), .null, .date(325_252_800.5), .string("Note"), .string("AAAA"),
            .null,
            .string("title"),
          ])
      ])
  }

  @Test(arguments: ["empty.syncchg", "example.syncchg", "one-change.syncchg"])
  func `a written copy of a generated store has the same graph and a like size`(name: String) throws {
    let bytes = try Samples.bytes("generated/\(name)")
    let store = try BinaryStore(bytes)

    let written = try store.encoded()

    #expect(try BinaryStore(written) == store)
    #expect(abs(written.count - bytes.count) < bytes.count / 5)
  }
}
