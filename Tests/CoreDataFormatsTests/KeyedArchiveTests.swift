import Foundation
import SampleFiles
import Testing

@testable import CoreDataFormats

@Suite struct KeyedArchiveTests {
  static let uuid = ArchivedUUID(high: 0x8C14_BE4B_3F6B_4EBB, low: 0x8502_7F2A_8209_504E)

  @Test(arguments: [
    ArchivedObject.null, .boolean(true), .integer(-7), .unsigned(.max), .real(0.1), .float(2.5),
    .string("Grüße"),
    .string("$null"), .string(""), .data([1, 2, 3]), .date(325_252_800.5), .uuid(uuid),
    .url(relative: "a/b", base: "https://example.org/"), .url(relative: "https://example.org/", base: nil),
    .decimal(ArchivedDecimal(isNegative: true, mantissa: 12_345, exponent: -3)), .decimal(.notANumber),
    .array([.null, .integer(1), .array([])]), .orderedSet([.string("b"), .string("a")]), .orderedSet([]),
    .set([.integer(1), .string("1")]), .set([]),
    .dictionary([.string("k"): .null, .integer(4): .array([.date(0)])]),
    .record(
      ArchivedRecord(
        classes: ["NSColor", "NSObject"],
        fields: [
          "NSRGB": .inline(.data([48, 32, 49])), "NSColorSpace": .inline(.integer(1)),
          "NSCatalog": .object(.null),
          "NSComponents": .objects([.real(0.5), .string("x")]), "Name": .object(.string("y")),
        ])),
  ])
  func `a value comes back as it was archived`(value: ArchivedObject) throws {
    let archive = try KeyedArchive(KeyedArchive.encode(value, key: "root"))

    #expect(try archive.decode("root", allowing: .any) == value)
  }

  @Test func `equal values give equal bytes`() {
    let keys = (0..<40).map { ArchivedObject.string("k\($0)") }
    let one = ArchivedObject.dictionary(Dictionary(uniqueKeysWithValues: keys.map { ($0, .set(Set(keys))) }))
    let other = ArchivedObject.dictionary(
      Dictionary(uniqueKeysWithValues: keys.reversed().map { ($0, .set(Set(keys.reversed()))) }))

    #expect(KeyedArchive.encode(one) == KeyedArchive.encode(other))
  }

  @Test func `Foundation's unarchiver reads what is archived here`() throws {
    let bytes = KeyedArchive.encode(
      .dictionary([
        .string("list"): .array([.integer(3), .string("three"), .date(7)]), .string("uuid"): .uuid(Self.uuid),
      ]))

    let object = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSUUID.self],
      from: Data(bytes))

    let dictionary = try #require(object as? [String: Any])
    let list = try #require(dictionary["list"] as? [Any])
    #expect(list[0] as? Int == 3)
    #expect(list[1] as? String == "three")
    #expect(list[2] as? Date == Date(timeIntervalSinceReferenceDate: 7))
    #expect(dictionary["uuid"] as? UUID == UUID(uuidString: Self.uuid.description))
  }

  @Test func `what Foundation archives is read here`() throws {
    let source = NSMutableDictionary(dictionary: [
      "ordered": NSOrderedSet(array: ["b", "a"]), "set": NSSet(array: [1, 2]),
      "url": try #require(NSURL(string: "https://example.org/x")),
      "null": NSNull(), "data": NSData(data: Data([5])),
    ])
    let bytes = try NSKeyedArchiver.archivedData(withRootObject: source, requiringSecureCoding: false)

    let read = try KeyedArchive(Array(bytes)).decode()

    #expect(read["ordered"] == .orderedSet([.string("b"), .string("a")]))
    #expect(read["set"] == .set([.integer(1), .integer(2)]))
    #expect(read["url"] == .url(relative: "https://example.org/x", base: nil))
    #expect(read["null"] == .null)
    #expect(read["data"] == .data([5]))
  }

  @Test func `a class that is not allowed is named`() throws {
    let record = ArchivedObject.record(ArchivedRecord(classes: ["Spy", "NSString", "NSObject"], fields: [:]))
    let archive = try KeyedArchive(KeyedArchive.encode(.array([record])))

    let error = #expect(throws: CoreDataFormatError.self) { try archive.decode() }

    #expect(error?.code == .classNotAllowed)
    #expect(error?.expectation.contains("Spy") == true)
    #expect(try archive.decode(allowing: .plain(and: ["Spy"])) == .array([record]))
  }

  @Test func `subclasses of plain classes are plain`() throws {
    var writer = KeyedArchiveWriter()
    let list = writer.addCollection(["ApplicationList", "NSMutableArray", "NSArray"], [.integer(1)])

    #expect(try KeyedArchive(writer.encode(roots: ["root": list])).decode() == .array([.integer(1)]))
  }

  @Test func `an object inside itself is a cycle`() throws {
    var writer = KeyedArchiveWriter()
    let list = writer.reserve { writer in writer.record(["NSArray"], ["NS.objects": .array([.uid(1)])]) }

    let error = #expect(throws: CoreDataFormatError.self) {
      try KeyedArchive(writer.encode(roots: ["root": list])).decode()
    }

    #expect(error?.code == .cycle)
  }

  @Test func `nested sharing is counted before it unfolds`() throws {
    var writer = KeyedArchiveWriter()
    var inner = writer.add(.string("x"))
    for _ in 0..<40 {
      inner = writer.add(["NSArray"], ["NS.objects": .array([.uid(inner), .uid(inner)])])
    }

    let archive = try KeyedArchive(writer.encode(roots: ["root": inner]))

    #expect(#expect(throws: CoreDataFormatError.self) { try archive.decode() }?.code == .limitExceeded)
  }

  @Test func `nesting is limited`() throws {
    var value = ArchivedObject.null
    for _ in 0..<100 { value = .array([value]) }
    let bytes = KeyedArchive.encode(value)

    #expect(try KeyedArchive(bytes).decode() == value)
    let limited = try KeyedArchive(bytes, limits: DecodingLimits(depth: 50))
    #expect(#expect(throws: CoreDataFormatError.self) { try limited.decode() }?.code == .limitExceeded)
  }
}

@Suite struct ArchivedDecimalTests {
  @Test(arguments: [
    ("0", "0"), ("-0", "0"), ("1", "1"), ("12.50", "12.5"), ("-0.001", "-0.001"), ("1e3", "1000"),
    ("1.5E-2", "0.015"),
    ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"), ("NaN", "NaN"),
    ("100000000000000000000000000000000000000000", "100000000000000000000000000000000000000000"),
  ])
  func `decimal notation is read and written`(text: String, expected: String) {
    #expect(ArchivedDecimal(text)?.description == expected)
  }

  @Test(arguments: [
    "", "-", ".", "1.2.3", "x", "1e", "1e999", "340282366920938463463374607431768211456", "1 ",
  ])
  func `what is no decimal is refused`(text: String) {
    #expect(ArchivedDecimal(text) == nil)
  }
}

@Suite(.needsSamples) struct KeyedArchiveSampleTests {
  @Test func `real archives of every sampled class are read`() throws {
    func decode(_ name: String, root: String = "root") throws -> ArchivedObject {
      try KeyedArchive(Samples.bytes("keyedarchive/\(name).bplist")).decode(root, allowing: .any)
    }

    #expect(try decode("NSDate") == .date(606_520_077.8892))
    #expect(try decode("NSMutableSet") == .set([.string("com.apple.imcore")]))
    #expect(try decode("NSUUID")["com.apple.mobilenotes.SharingExtension"]?.isUUID == true)
    #expect(try decode("NSNull")["objects"] != nil)
    guard case .data(let inner) = try decode("NSMutableData", root: "opaque") else {
      Issue.record("expected data")
      return
    }
    #expect(try KeyedArchive(inner).decode(allowing: .any) != .null)
  }

  @Test func `a model cache has cycles and is walked by reference`() throws {
    let archive = try KeyedArchive(Samples.bytes("keyedarchive/ddg_SyncMetadata_V3.modelcache.bplist"))

    let model = try #require(try archive.record(archive.root()))

    #expect(model.className == "NSManagedObjectModel")
    #expect(#expect(throws: CoreDataFormatError.self) { try archive.decode(allowing: .any) }?.code == .cycle)
  }
}

extension ArchivedObject {
  fileprivate var isUUID: Bool { if case .uuid = self { true } else { false } }
}
