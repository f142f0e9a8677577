import CoreDataFormats
import Foundation
import Testing

@Suite struct BinaryPropertyListTests {
  @Test(arguments: [
    PropertyList.boolean(false), .boolean(true), .integer(0), .integer(255), .integer(256), .integer(65_536),
    .integer(1 << 32), .integer(.max), .integer(-1), .integer(.min), .unsigned(.max), .unsigned(1 << 63),
    .real(0.1), .real(-.infinity), .float(1.5), .date(325_252_800.5), .data([]), .data([0, 255]), .string(""),
    .string("a\0b"), .string("Grüße 🙂"), .string(String(repeating: "x", count: 15)), .uid(0), .uid(255),
    .uid(.max), .array([]), .dictionary([:]), .array([.integer(1), .integer(1), .array([.boolean(true)])]),
    .dictionary(["b": .integer(1), "a": .dictionary(["ü": .data([1])])]),
  ])
  func `a value comes back as it was written`(value: PropertyList) throws {
    #expect(try BinaryPropertyList.decode(BinaryPropertyList.encode(value)) == value)
  }

  @Test func `negative zero is not confused with zero`() throws {
    let list = PropertyList.array([.real(0), .real(-0.0)])

    let read = try BinaryPropertyList.decode(BinaryPropertyList.encode(list))

    guard case .array(let values) = read, case .real(let second) = values.last else {
      Issue.record("expected two reals, got \(read)")
      return
    }
    #expect(second.sign == .minus)
  }

  @Test func `Foundation reads what is written here`() throws {
    let written = BinaryPropertyList.encode(
      .dictionary([
        "text": .string("Grüße"), "numbers": .array([.integer(-5), .integer(70_000), .real(2.5)]),
        "data": .data([1, 2, 3]), "date": .date(1_000), "yes": .boolean(true),
        "long": .array((0..<300).map { .integer($0) }),
      ]))

    let read = try PropertyListSerialization.propertyList(from: Data(written), format: nil)

    let root = try #require(read as? [String: Any])
    #expect(root["text"] as? String == "Grüße")
    #expect((root["numbers"] as? [Double]) == [-5, 70_000, 2.5])
    #expect(root["data"] as? Data == Data([1, 2, 3]))
    #expect(root["date"] as? Date == Date(timeIntervalSinceReferenceDate: 1_000))
    #expect(root["yes"] as? Bool == true)
    #expect((root["long"] as? [Int]) == Array(0..<300))
  }

  @Test func `what Foundation writes is read here`() throws {
    let source: [String: Any] = [
      "text": "Grüße 🙂", "integers": [0, -1, 300, Int.max], "real": 0.25, "data": Data([9, 8]),
      "date": Date(timeIntervalSinceReferenceDate: 12.5), "nested": ["a": ["b": [true, false]]],
    ]
    let bytes = try PropertyListSerialization.data(fromPropertyList: source, format: .binary, options: 0)

    let read = try BinaryPropertyList.decode(Array(bytes))

    #expect(
      read
        == .dictionary([
          "text": .string("Grüße 🙂"),
          "integers": .array([.integer(0), .integer(-1), .integer(300), .integer(.max)]), "real": .real(0.25),
          "data": .data([9, 8]), "date": .date(12.5),
          "nested": .dictionary(["a": .dictionary(["b": .array([.boolean(true), .boolean(false)])])]),
        ]))
  }

  @Test func `equal dictionaries give equal bytes`() {
    let keys = (0..<50).map { "key \($0)" }
    let forward = Dictionary(uniqueKeysWithValues: keys.map { ($0, PropertyList.string($0)) })
    let backward = Dictionary(uniqueKeysWithValues: keys.reversed().map { ($0, PropertyList.string($0)) })

    #expect(
      BinaryPropertyList.encode(.dictionary(forward)) == BinaryPropertyList.encode(.dictionary(backward)))
  }

  @Test func `every truncation is refused`() {
    let bytes = BinaryPropertyList.encode(.dictionary(["a": .array([.integer(1), .string("text")])]))

    for length in 0..<bytes.count {
      #expect(throws: CoreDataFormatError.self) { try BinaryPropertyList.decode(bytes[..<length]) }
    }
  }
}

@Suite struct HostilePropertyListTests {
  /// A list from raw objects, each of which is addressed by its position.
  static func list(
    _ objects: [[UInt8]], offsets: [Int]? = nil, referenceSize: UInt8 = 1, top: UInt8 = 0
  ) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var starts: [Int] = []
    for object in objects {
      starts.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    for offset in offsets ?? starts { bytes += [UInt8(offset >> 8), UInt8(offset & 0xFF)] }
    let count = offsets?.count ?? starts.count
    bytes += [0, 0, 0, 0, 0, 0, 2, referenceSize, 0, 0, 0, 0, 0, 0, UInt8(count >> 8), UInt8(count & 0xFF)]
    bytes += [0, 0, 0, 0, 0, 0, 0, top, 0, 0, 0, 0, 0, 0, UInt8(table >> 8), UInt8(table & 0xFF)]
    return bytes
  }

  static func failure(_ bytes: [UInt8], limits: DecodingLimits = .standard) -> CoreDataFormatError? {
    do {
      _ = try BinaryPropertyList.decode(bytes, limits: limits)
      return nil
    } catch { return error }
  }

  @Test func `an array inside itself is a cycle`() {
    #expect(Self.failure(Self.list([[0xA1, 0]]))?.code == .cycle)
    #expect(Self.failure(Self.list([[0xA1, 1], [0xA1, 0]]))?.code == .cycle)
  }

  @Test func `a reference past the table names its offset`() {
    let error = Self.failure(Self.list([[0xA1, 7]]))

    #expect(error?.code == .malformed)
    #expect(error?.offset == 9)
  }

  @Test func `objects that share their bytes are refused`() {
    // Fifty arrays whose references lie in the same bytes would be 50 times the work that the file's size promises.
    let last: [UInt8] = [0xAF, 0x10, 50] + [UInt8](repeating: 51, count: 50)
    let first: [UInt8] = [0xAF, 0x10, 50] + (1...50).map { UInt8($0) }
    let shared = [Int](repeating: 8 + first.count, count: 50)

    let error = Self.failure(
      Self.list([first, last, [0x09]], offsets: [8] + shared + [8 + first.count + last.count]))

    #expect(error?.expectation == "objects that do not overlap")
  }

  @Test func `nested sharing is counted before it unfolds`() {
    // Every level holds the next one fifteen times: 15^30 elements from 500 bytes.
    var objects = (0..<30).map { level in [0xAE] + [UInt8](repeating: UInt8(level + 1), count: 14) }
    objects.append([0x09])

    #expect(Self.failure(Self.list(objects))?.code == .limitExceeded)
  }

  @Test func `nesting is limited`() {
    var objects = (0..<100).map { [0xA1, UInt8($0 + 1)] }
    objects.append([0x09])

    #expect(Self.failure(Self.list(objects)) == nil)
    #expect(Self.failure(Self.list(objects), limits: DecodingLimits(depth: 50))?.code == .limitExceeded)
  }

  @Test(
    arguments: [
      [0x5F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x4F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x5F, 0x08], [0xAF, 0x12, 0x00, 0xFF, 0xFF, 0xFF], [0x13, 1], [0x23], [0x8F], [0x00], [0xC1, 0],
      [0x51, 0xC3],
      [0xD1, 0, 0], [0x17],
    ] as [[UInt8]])
  func `a damaged object is refused`(object: [UInt8]) {
    #expect(Self.failure(Self.list([object])) != nil)
  }

  @Test func `an integer of sixteen bytes is read where 64 bits hold it`() throws {
    let zeros = [UInt8](repeating: 0, count: 8)
    let ones = [UInt8](repeating: 255, count: 8)

    #expect(try BinaryPropertyList.decode(Self.list([[0x14] + zeros + ones])) == .unsigned(.max))
    #expect(try BinaryPropertyList.decode(Self.list([[0x14] + ones + ones])) == .integer(-1))
    #expect(Self.failure(Self.list([[0x14, 1] + zeros.dropFirst() + ones]))?.code == .unsupported)
  }

  @Test func `a key must be text and occur once`() {
    #expect(Self.failure(Self.list([[0xD1, 1, 1], [0x10, 5]]))?.code == .malformed)
    #expect(Self.failure(Self.list([[0xD2, 1, 1, 1, 1], [0x51, 0x61]]))?.code == .malformed)
  }
}
