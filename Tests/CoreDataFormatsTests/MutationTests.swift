import ByteFixtures
import CoreDataFormats
import SampleFiles
import Testing

/// Deterministic mutations of valid files: a decoder answers with a value or an error, never with a trap.
@Suite struct MutationTests {
  static func mutate(_ bytes: [UInt8], with generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
      let position = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes[position] = UInt8.random(in: 0...255, using: &generator)
      case 2: bytes.removeSubrange(position..<min(bytes.count, position + 7))
      case 3: bytes.insert(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF], at: position)
      default: bytes[position] = 0
      }
    }
    return bytes
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `a damaged store gives a value or an error`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let original = try BinaryStoreTests.store.encoded()
    var refused = 0

    for _ in 0..<2_000 {
      let bytes = Self.mutate(original, with: &generator)
      do throws(CoreDataFormatError) {
        let store = try BinaryStore(bytes, allowing: .any)
        // What is accepted can be written and read again.
        let copy = try BinaryStore(store.encoded(), allowing: .any)
        #expect(copy.nodes.count == store.nodes.count)
      } catch { refused += 1 }
    }

    #expect(refused > 500)
  }

  @Test(
    .needsSamples, arguments: ["binary/sm_mute-civilian_34be5f5.smsetting", "keyedarchive/NSUUID.bplist"])
  func `a damaged real file gives a value or an error`(file: String) throws {
    var generator = SeededGenerator(seed: 5)
    let original = try Samples.bytes(file)
    var refused = 0

    for _ in 0..<1_000 {
      let bytes = Self.mutate(original, with: &generator)
      do throws(CoreDataFormatError) {
        if BinaryPropertyList.isBinaryPropertyList(bytes) {
          _ = try KeyedArchive(bytes).decode(allowing: .any)
        } else {
          _ = try BinaryStore(bytes, allowing: .any)
        }
      } catch { refused += 1 }
    }

    #expect(refused > 100)
  }
}
