import ByteFixtures
import Testing
import TICDSZlib

@Suite struct CompressionTests {
  static let sizes = [0, 1, 2, 100, 32_767, 32_768, 32_769, 65_536, 100_000]

  @Test(arguments: CompressionFormat.allCases, sizes)
  func `a message comes back as it was compressed`(format: CompressionFormat, size: Int) throws {
    var generator = SeededGenerator(seed: UInt64(size))
    for level in [CompressionLevel.store, .fastest, .balanced, .smallest] {
      for message in [
        generator.bytes(size), generator.bytes(size, below: 3), [UInt8](repeating: 7, count: size),
      ] {
        let compressed = try deflate(message, format: format, level: level)
        #expect(try inflate(compressed, format: format, limit: size) == message)
      }
    }
  }

  @Test func `what other programs wrote is read`() throws {
    let message = Array("TICDS TICDS TICDS".utf8)
    let zlib: [UInt8] = [
      0x78, 0xda, 0x0b, 0xf1, 0x74, 0x76, 0x09, 0x56, 0x08, 0x41, 0x90, 0x00, 0x29, 0xf3, 0x04, 0xa6,
    ]
    let gzip: [UInt8] = [
      0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x0b, 0xf1, 0x74, 0x76, 0x09, 0x56, 0x08,
      0x41, 0x90,
      0x00, 0x19, 0x7b, 0xa2, 0xe6, 0x11, 0x00, 0x00, 0x00,
    ]
    #expect(try inflate(zlib, format: .zlib, limit: 17) == message)
    #expect(try inflate(gzip, format: .gzip, limit: 17) == message)
    #expect(try inflate(Array(zlib[2..<12]), format: .raw, limit: 17) == message)
  }

  @Test(arguments: CompressionFormat.allCases)
  func `a stream gives the same however it is cut`(format: CompressionFormat) throws {
    var generator = SeededGenerator(seed: 5)
    let message = generator.bytes(5_000, below: 9)
    for size in [1, 2, 7, 999, 5_000] {
      var deflater = try Deflater(format: format)
      var compressed: [UInt8] = []
      for start in stride(from: 0, to: message.count, by: size) {
        try deflater.update(
          Array(message[start..<min(start + size, message.count)]), appendingTo: &compressed)
      }
      try deflater.finish(appendingTo: &compressed)

      var inflater = try Inflater(format: format, limit: message.count)
      var output: [UInt8] = []
      for start in stride(from: 0, to: compressed.count, by: size) {
        let endedEarly = inflater.isAtEnd
        #expect(!endedEarly)
        try inflater.update(
          Array(compressed[start..<min(start + size, compressed.count)]), appendingTo: &output)
      }
      try inflater.finish()
      #expect(output == message)
      let count = inflater.outputCount
      #expect(count == message.count)
    }
  }

  @Test func `a deflater that has finished starts another stream`() throws {
    var deflater = try Deflater()
    var outputs: [[UInt8]] = []
    for _ in 0..<2 {
      var output: [UInt8] = []
      try deflater.update([1, 2, 3], appendingTo: &output)
      try deflater.finish(appendingTo: &output)
      outputs.append(output)
    }
    #expect(outputs[0] == outputs[1])
    #expect(try inflate(outputs[1], limit: 3) == [1, 2, 3])
  }

  @Test func `a level outside zlib's range is the nearest one`() throws {
    let message = [UInt8](repeating: 1, count: 1_000)
    #expect(try deflate(message, level: CompressionLevel(99)) == deflate(message, level: .smallest))
    #expect(try deflate(message, level: CompressionLevel(-99)) == deflate(message, level: .store))
  }

  @Test func `CRC-32 gives the published check value, at once or in pieces`() {
    let message = Array("123456789".utf8)
    #expect(crc32(message) == 0xcbf4_3926)
    #expect(crc32(Array(message[4...]), continuing: crc32(Array(message[..<4]))) == 0xcbf4_3926)
    #expect(crc32([]) == 0)
  }
}
