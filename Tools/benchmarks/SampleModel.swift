import ByteFixtures
import Foundation
import ObjectStore

/// What the benchmarks keep in step: notes of six fields, in folders, with tags.
final class Note: ManagedObject {
  @Attribute var ticdsSyncID: String?
  @Attribute var title: String = ""
  @Attribute var body: String = ""
  @Attribute var number: Int64 = 0
  @Attribute var isDone: Bool = false
  @Attribute var created: Date?
  @Attribute var updated: Date?
  @ToOne(inverse: \Folder.notes) var folder: Folder?
  @ToMany(inverse: \Tag.notes) var tags: Set<Tag>
}

final class Folder: ManagedObject {
  @Attribute var ticdsSyncID: String?
  @Attribute var name: String = ""
  @ToMany var notes: Set<Note>
}

final class Tag: ManagedObject {
  @Attribute var ticdsSyncID: String?
  @Attribute var name: String = ""
  @ToMany var notes: Set<Note>
}

/// Text with the statistics of prose: words of a vocabulary, frequent ones first (Zipf's law).
struct SampleText {
  private let words: [String]
  private var random: SeededGenerator

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let syllables = [
      "an", "be", "ca", "do", "en", "fi", "go", "ha", "in", "ju", "ka", "lo", "me", "no", "os", "pre",
      "qui", "re", "st", "ta", "un", "ver", "wi", "ex", "yo", "zen", "th", "sh",
    ]
    var made: [String] = []
    for _ in 0..<4_000 {
      let count = Int.random(in: 1...4, using: &random)
      made.append((0..<count).map { _ in syllables.randomElement(using: &random) ?? "a" }.joined())
    }
    words = made
    self.random = random
  }

  /// Words up to a length in bytes.
  mutating func prose(_ length: Int) -> String {
    var text = ""
    while text.utf8.count < length {
      let rank = pow(Double(words.count), Double.random(in: 0..<1, using: &random))
      if !text.isEmpty { text += " " }
      text += words[min(Int(rank) - 1, words.count - 1)]
    }
    return String(text.prefix(length))
  }
}
