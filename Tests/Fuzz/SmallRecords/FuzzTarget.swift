import ChangeTracking
import Crypto
import TICDSOpenSSL
import SyncProtocol

/// libFuzzer's entry point. The first byte says which record the rest is taken for. Checksums are mended, because without that what
/// lies behind them would never be reached; what is read must be written as it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let kind = input.first else { return 0 }
  let bytes = Array(input.dropFirst())
  switch kind % 8 {
  case 0: readFounding(bytes)
  case 1: readHead(bytes)
  case 2: readLongValue(bytes)
  case 3:
    if let content = try? Supersession.Content(bytes) {
      precondition(content.bytes == bytes, "a statement changed when it was written")
    }
  case 4:
    if let information = try? DocumentInformation(bytes) {
      let again = try? DocumentInformation(information.bytes)
      precondition(again?.identifier == information.identifier, "a description changed when it was written")
    }
  case 5:
    if let information = try? DeviceInformation(bytes) {
      precondition((try? DeviceInformation(information.bytes)) != nil, "a description cannot be read again")
    }
  case 6: readNames(bytes)
  default:
    if let information = try? RemovalInformation(bytes) {
      let again = try? RemovalInformation(information.bytes)
      precondition(again?.time == information.time, "a removal changed when it was written")
    }
  }
  return 0
}

private func readFounding(_ bytes: [UInt8]) {
  _ = try? FoundingRecord(bytes, keys: nil)
  let mended = bytes + SHA256.hash(bytes).bytes
  guard let record = try? FoundingRecord(mended, keys: nil) else { return }
  precondition(record.key == nil, "a record was read without its key")
  precondition((try? record.encoded(with: nil)) == mended, "a founding record changed when it was written")
}

private func readHead(_ bytes: [UInt8]) {
  let mended = bytes + SHA256.hash(bytes).bytes.prefix(16)
  guard let name = headName(mended), let head = try? HeadCodec.decode(mended, named: name) else { return }
  precondition(HeadCodec.encode(head) == mended, "a head changed when it was written")
}

/// The name that a head's content asks for.
private func headName(_ bytes: [UInt8]) -> HeadName? {
  guard bytes.count >= 48 else { return nil }
  func number(_ start: Int) -> UInt64 { bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
  func decimal(_ number: UInt64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 10 - digits.utf8.count)) + digits
  }
  let hash = ContentHash(bytes: Array(bytes[32..<48])).map { "\($0)" } ?? ""
  let code = String(repeating: "0", count: 20)
  let text = "\(AuthorID(bits: number(8))).\(decimal(number(16))).\(decimal(number(24))).\(hash).\(code).head"
  return RemoteName(text).flatMap { HeadName($0) }
}

private func readLongValue(_ bytes: [UInt8]) {
  let length = Int(bytes.first ?? 0) << 4
  guard let value = try? LongValueFile.decode(Array(bytes.dropFirst()), length: length) else { return }
  precondition(value.count <= max(length, bytes.count), "a long value grew beyond its length")
}

private func readNames(_ bytes: [UInt8]) {
  guard let name = RemoteName(String(decoding: bytes, as: UTF8.self)) else { return }
  for read in [
    HeadName(name)?.name, ResendRequest(name)?.name, Supersession(name)?.name, SetName(name)?.name,
    FoundingName(name)?.name, AcceptanceName(name)?.name, WrappedKeyName(name)?.name, KeyFileName(name)?.name,
    LongValueName(name)?.name, Mention(name)?.name, DeletionName(name)?.name,
    AbsenceName(name)?.name, HistoryFloor(name)?.name, RemovalName(name)?.name, RenamingName(name)?.name,
    WholeStoreName(name)?.name,
  ] {
    precondition(read == nil || read == name, "a name changed when it was read")
  }
}
