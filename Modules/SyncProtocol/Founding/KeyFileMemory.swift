import ChangeTracking
import Crypto
import TICDSOpenSSL
import UntrustedBytes

/// Remembers in a file beside a store which key files a password was tried on, so that whoever tries again gets on, however many there are.
///
/// That it is the same password a key file tells that opens with it and whose key is for nothing: a guess at it costs as much as one at the
/// key files of the remote. The file is written only where there are more files than a password is tried on at once, readable by its owner
/// alone, and removed once the password has opened one.
struct KeyFileMemory: Sendable {
  /// Where the file lies.
  let path: String
  /// The cost of trying the password on it.
  let cost: Scrypt.Parameters
  let secrets: any RandomSource

  private static let heading = "TICDS key files 1"
  private static let sizeLimit = 2 << 20

  /// Something that only one password opens.
  struct Witness: Sendable { fileprivate var file: KeyFile }

  /// What is remembered for a password, and what tells that it is this one; that is missing if nothing was remembered for it. A file that
  /// cannot be read is as good as none.
  func recall(_ password: String) -> (tries: KeyFileTries, witness: Witness?) {
    guard let bytes = try? LocalFile.beginning(of: path, count: Self.sizeLimit),
      let (file, found) = Self.parse(bytes)
    else { return (KeyFileTries(), nil) }
    var tries = found
    guard (try? file.open(password)) == nil else { return (tries, Witness(file: file)) }
    tries.forgetOutcomes()
    return (tries, nil)
  }

  /// Takes some tenths of a second, as a try does.
  func witness(_ password: String) -> Witness? {
    (try? KeyFile.create(password: password, parameters: cost, random: secrets)).map {
      Witness(file: $0.file)
    }
  }

  /// Remembers; `false` if that is not possible here, so that a next attempt begins anew.
  func keep(_ tries: KeyFileTries, _ witness: Witness) -> Bool {
    var lines = [Self.heading, "\(tries.attempt)", HexadecimalDigits.text(witness.file.bytes)]
    for (content, sight) in tries.sights {
      lines.append("\(content) \(sight.attempt) \(sight.outcome.rawValue)")
    }
    for (name, content) in tries.contents { lines.append("\(name.name) \(content)") }
    let text = lines.joined(separator: "\n") + "\n"
    do {
      let output = try OutputFile.create(path: path, random: .system)
      try output.write(Array(text.utf8))
      try output.commit()
      return true
    } catch {
      return false
    }
  }

  func forget() { LocalFile.remove(path) }

  private static func parse(_ bytes: [UInt8]) -> (KeyFile, KeyFileTries)? {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard bytes.count < sizeLimit, lines.count >= 3, lines[0] == heading, let attempt = Int(lines[1]),
      (1..<Int.max - 1).contains(attempt), let witness = HexadecimalDigits.bytes(lines[2]),
      let file = try? KeyFile(parsing: witness)
    else { return nil }
    var sights: [ContentHash: KeyFileTries.Sight] = [:]
    var contents: [KeyFileName: ContentHash] = [:]
    for line in lines.dropFirst(3) {
      let words = line.split(separator: " ")
      if words.count == 3, let content = ContentHash(words[0]), let seen = Int(words[1]),
        let outcome = KeyFileTries.Outcome(rawValue: String(words[2]))
      {
        sights[content] = .init(attempt: seen, outcome: outcome)
      } else if words.count == 2, let name = RemoteName(String(words[0])).flatMap({ KeyFileName($0) }),
        let content = ContentHash(words[1])
      {
        contents[name] = content
      }
    }
    return (file, KeyFileTries(after: attempt, sights, contents))
  }
}
