/// Turns bytes into choices: libFuzzer mutates the bytes, and every byte string is a course of events.
struct ByteChoices {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes)[...] }

  var isAtEnd: Bool { bytes.isEmpty }

  /// The next byte; 0 after the end.
  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  /// A number below `bound`, of at most 256.
  mutating func number(below bound: Int) -> Int { bound > 1 ? Int(byte()) % bound : 0 }

  /// True once in `count` times.
  mutating func once(in count: Int) -> Bool { number(below: count) == count - 1 }

  mutating func one<Element>(of elements: [Element]) -> Element { elements[number(below: elements.count)] }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

  mutating func word() -> UInt64 { bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
