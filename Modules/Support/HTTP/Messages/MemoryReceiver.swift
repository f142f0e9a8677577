import Locking

/// Keeps a body in memory, up to a limit.
public final class MemoryReceiver: BodyReceiver {
  private let limit: Int
  private let content = Locked<[UInt8]>([])

  /// Refuses bodies of more than `limit` bytes, as soon as their length is known.
  public init(limit: Int) { self.limit = limit }

  /// What has come.
  public var bytes: [UInt8] { content.withLock { $0 } }

  /// Takes what has come, leaving nothing.
  public func take() -> [UInt8] {
    content.withLock { bytes in
      defer { bytes = [] }
      return bytes
    }
  }

  /// Refuses what is announced as too large.
  public func begin(_ head: HTTPHead) throws(HTTPError) {
    let length = head.contentLength ?? 0
    guard length <= limit else { throw .tooLarge(limit) }
    content.withLock { bytes in
      bytes = []
      bytes.reserveCapacity(Int(length))
    }
  }

  /// Appends.
  public func receive(_ piece: UnsafeRawBufferPointer) throws(HTTPError) {
    let fits = content.withLock { bytes in
      guard bytes.count + piece.count <= limit else { return false }
      bytes.append(contentsOf: piece)
      return true
    }
    if !fits { throw .tooLarge(limit) }
  }
}

/// Takes nothing: for answers whose body has no meaning. More than a megabyte of it ends the request.
public final class NothingReceiver: BodyReceiver {
  private static let limit = 1 << 20
  private let count = Locked(0)

  /// Takes nothing.
  public init() {}

  /// Counts anew.
  public func begin(_ head: HTTPHead) { count.withLock { $0 = 0 } }

  /// Drops.
  public func receive(_ piece: UnsafeRawBufferPointer) throws(HTTPError) {
    let sum = count.withLock { count in
      count += piece.count
      return count
    }
    if sum > Self.limit { throw .tooLarge(Self.limit) }
  }
}
