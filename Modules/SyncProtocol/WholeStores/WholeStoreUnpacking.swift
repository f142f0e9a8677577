import ChangeTracking
import Crypto
import Foundation

/// Divides the content of a whole store into files as it comes out, piece by piece.
struct WholeStoreUnpacking: ~Copyable {
  private let store: String
  private let folder: String
  private var header = WholeStoreHeader(length: 0, fileCount: 0)
  /// What has come of the bytes before a file.
  private var head: [UInt8] = []
  private var output: OutputFile?
  /// Bytes of the present file that have not come.
  private var left: UInt64 = 0
  private var files = 0
  private var hasStore = false
  private var taken: UInt64 = 0

  init(store: String) {
    self.store = store
    folder = StoreAttachments.folder(ofStoreAt: store)
  }

  mutating func begin(_ header: WholeStoreHeader) { self.header = header }

  mutating func take(_ bytes: [UInt8]) throws {
    var position = 0
    while position < bytes.count {
      if output == nil {
        let size = hasStore ? WholeStoreEntry.headSize : WholeStoreEntry.lengthSize
        let end = min(position + size - head.count, bytes.count)
        head += bytes[position..<end]
        taken += UInt64(end - position)
        position = end
        guard head.count == size else { return }
        try beginFile()
      } else {
        let end = Int(min(UInt64(bytes.count - position), left)) + position
        try output?.write(Array(bytes[position..<end]))
        left -= UInt64(end - position)
        taken += UInt64(end - position)
        position = end
      }
      if left == 0, let complete = output.take() { try complete.commit() }
    }
  }

  /// The head of a file is complete.
  private mutating func beginFile() throws {
    var reader = RecordReader(head, format: "whole store")
    let path: String
    if hasStore {
      guard files < header.fileCount else { throw failure("\(header.fileCount) files") }
      let name = try reader.string(StoreAttachments.nameLength, "name of a file")
      // It becomes part of a path.
      guard StoreAttachments.isName(name) else { throw failure("the name of a file") }
      path = "\(folder)/\(name)"
      guard !FileManager.default.fileExists(atPath: path) else { throw failure("each file once") }
      if files == 0 {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      files += 1
    } else {
      path = store
      hasStore = true
    }
    left = try reader.integer("length of a file")
    guard left <= header.length - min(taken, header.length) else {
      throw failure("no more than \(header.length) bytes")
    }
    head = []
    output = try OutputFile.create(path: path, random: .system)
  }

  private func failure(_ expected: String) -> FormatError {
    FormatError(format: "whole store", offset: Int(clamping: taken), expected: expected)
  }

  consuming func finish() throws {
    guard hasStore, output == nil, head.isEmpty, files == header.fileCount, taken == header.length else {
      throw failure("a store, \(header.fileCount) files and \(header.length) bytes in all")
    }
  }
}
