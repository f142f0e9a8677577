import ObjectStore

/// A value as its bytes tell it: texts that look alike are two.
struct ExactValue: Equatable, Sendable {
  let value: AttributeValue

  init(_ value: AttributeValue) { self.value = value }

  static func == (left: ExactValue, right: ExactValue) -> Bool {
    left.value.parkedBytes == right.value.parkedBytes
  }
}
