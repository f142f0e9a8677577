import ChangeTracking

/// What this device remembers of whole stores, to know when another one is worth while.
extension RegistrationPins {
  private static let name = "wholeStoreNeed"

  var wholeStoreMemory: WholeStoreNeed.Memory {
    get throws {
      let text = try replica.remoteState(Self.name).map { String(decoding: $0, as: UTF8.self) }
      let numbers = text?.split(separator: " ").compactMap { UInt64($0) } ?? []
      guard numbers.count == 4 else { return WholeStoreNeed.Memory() }
      return WholeStoreNeed.Memory(
        newest: numbers[0], looked: numbers[1], sets: numbers[2], bytes: numbers[3])
    }
  }

  func setWholeStoreMemory(_ memory: WholeStoreNeed.Memory) throws {
    guard try memory != wholeStoreMemory else { return }
    let text = "\(memory.newest) \(memory.looked) \(memory.sets) \(memory.bytes)"
    try replica.setRemoteState(Self.name, Array(text.utf8))
  }

  /// Notes how large sets were that were transferred.
  func noteTransfer(sets: Int, bytes: Int64) throws {
    guard sets > 0 else { return }
    var memory = try wholeStoreMemory
    // What is remembered may be anything: it is read from a file.
    memory.sets &+= UInt64(clamping: sets)
    memory.bytes &+= UInt64(clamping: bytes)
    try setWholeStoreMemory(memory)
  }
}
