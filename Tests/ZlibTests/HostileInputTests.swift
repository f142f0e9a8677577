import ByteFixtures
import Testing
import TICDSZlib

@Suite struct HostileInputTests {
  @Test(arguments: CompressionFormat.allCases)
  func `every truncation is called truncated`(format: CompressionFormat) throws {
    var generator = SeededGenerator(seed: 1)
    let compressed = try deflate(generator.bytes(400, below: 20), format: format)
    for count in 0..<compressed.count {
      let error = #expect(throws: ZlibError.self) {
        try inflate(Array(compressed[..<count]), format: format, limit: 400)
      }
      #expect(error?.code == .truncated)
      #expect(error?.offset == count)
    }
  }

  @Test func `no changed byte passes the checksum of zlib`() throws {
    var generator = SeededGenerator(seed: 2)
    let message = generator.bytes(300, below: 20)
    let compressed = try deflate(message)
    for index in compressed.indices {
      for bit in 0..<8 {
        var changed = compressed
        changed[index] ^= 1 << bit
        // Some bits of the header and of a block's padding say nothing about the content.
        if let output = try? inflate(changed, limit: 300) { #expect(output == message) }
      }
    }
  }

  @Test(arguments: CompressionFormat.allCases)
  func `output stops at the limit`(format: CompressionFormat) throws {
    // Given a bomb of 50 MB in 50 kB
    let bomb = try deflate([UInt8](repeating: 0, count: 50_000_000), format: format, level: .smallest)
    #expect(bomb.count < 100_000)

    for limit in [0, 1, 65_535, 49_999_999] {
      let error = #expect(throws: ZlibError.self) { try inflate(bomb, format: format, limit: limit) }
      #expect(error?.code == .exceedsLimit)
    }
    #expect(try inflate(bomb, format: format, limit: 50_000_000).count == 50_000_000)
  }

  @Test(arguments: CompressionFormat.allCases)
  func `bytes after the end are refused, in the same piece or the next`(format: CompressionFormat) throws {
    let compressed = try deflate([1, 2, 3], format: format)
    let error = #expect(throws: ZlibError.self) { try inflate(compressed + [0], format: format, limit: 10) }
    #expect(error?.code == .trailingBytes)
    #expect(error?.offset == compressed.count)

    var inflater = try Inflater(format: format, limit: 10)
    var output: [UInt8] = []
    try inflater.update(compressed, appendingTo: &output)
    #expect(throws: ZlibError.self) { try inflater.update([0], appendingTo: &output) }
  }

  @Test func `a wrong format is corrupt`() throws {
    for (written, read) in [(CompressionFormat.zlib, CompressionFormat.gzip), (.gzip, .zlib), (.raw, .gzip)] {
      let error = #expect(throws: ZlibError.self) {
        try inflate(deflate([1, 2, 3], format: written), format: read, limit: 10)
      }
      #expect(error?.code == .corrupt)
    }
  }

  @Test(arguments: 0..<400)
  func `damaged input never yields more than the limit`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let format = CompressionFormat.allCases[Int(seed % 3)]
    var bytes = try deflate(
      generator.bytes(Int.random(in: 0...2_000, using: &generator), below: 12), format: format)
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
    }
    if let output = try? inflate(bytes, format: format, limit: 1_000) { #expect(output.count <= 1_000) }
  }
}
