import CTICDSCurl

/// The functions that libcurl calls for a ``Transfer``, which is their context.
enum TransferCallbacks {
  static let header: ticds_curl_data = { bytes, size, count, context in
    guard let transfer = transfer(context), let bytes else { return 0 }
    return transfer.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
  }

  static let write: ticds_curl_data = { bytes, size, count, context in
    guard let transfer = transfer(context), let bytes else { return 0 }
    // Any other number than that of the bytes ends the transfer.
    return transfer.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : .max
  }

  static let read: ticds_curl_data = { bytes, size, count, context in
    guard let transfer = transfer(context), let bytes else { return Int(CURL_READFUNC_ABORT) }
    return transfer.giveBody(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
      ?? Int(CURL_READFUNC_ABORT)
  }

  static let seek: ticds_curl_seek = { context, offset, origin in
    // Origin 0 is SEEK_SET, the only one that libcurl uses.
    guard origin == 0, let transfer = transfer(context) else { return CURL_SEEKFUNC_FAIL }
    return transfer.rewind(to: Int64(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
  }

  static let before: ticds_curl_before = { context, _, _, _, port in
    guard let transfer = transfer(context), transfer.maySend(from: port) else { return CURL_PREREQFUNC_ABORT }
    return CURL_PREREQFUNC_OK
  }

  private static func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }
}
