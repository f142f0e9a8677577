import TICDSHTTP

/// The file in which programs keep user names and passwords by host: `machine H login U password P`.
///
/// Words stand apart by blanks and lines; one that begins with a quotation mark ends with another and may hold blanks, with `\"`, `\\`,
/// `\n`, `\r` and `\t` in it, as curl reads it. Lines that begin with `#` are comments.
struct Netrc {
  private struct Entry {
    /// `nil` for all hosts.
    var host: String?
    var user: String?
    var password: String?
  }

  private var entries: [Entry] = []

  init(_ text: String) {
    var words = Words(text)
    while let word = words.next() {
      // Only what stands without quotation marks is one of these.
      switch word.isQuoted ? "" : word.text {
      case "machine": if let host = words.next() { entries.append(Entry(host: host.text.lowercased())) }
      case "default": entries.append(Entry())
      case "login":
        if let user = words.next(), !entries.isEmpty { entries[entries.count - 1].user = user.text }
      case "password":
        if let password = words.next(), !entries.isEmpty {
          entries[entries.count - 1].password = password.text
        }
      case "macdef": words.skipMacro()
      default: break
      }
    }
  }

  /// What the first entry for a host says, or the one for all hosts; `nil` if it is unfinished.
  func credentials(for host: String) -> Credentials? {
    guard let entry = entries.first(where: { $0.host == nil || $0.host == host }), let user = entry.user
    else { return nil }
    return .password(user: user, password: entry.password ?? "")
  }
}

extension Netrc {
  /// The words of a file, one after the other.
  private struct Words {
    private var rest: Substring
    private var isAtLineStart = true

    init(_ text: String) { rest = text[...] }

    mutating func next() -> (text: String, isQuoted: Bool)? {
      skipBlanks()
      guard let first = rest.first else { return nil }
      isAtLineStart = false
      if first == "\"" { return (quoted(), true) }
      let word = rest.prefix { !$0.isWhitespace }
      rest = rest.dropFirst(word.count)
      return (String(word), false)
    }

    /// A macro holds commands for ftp, and ends with an empty line.
    mutating func skipMacro() {
      while !rest.isEmpty {
        rest = rest.drop { !$0.isNewline }.dropFirst()
        if rest.first?.isNewline == true { break }
      }
      isAtLineStart = true
    }

    private mutating func skipBlanks() {
      while let first = rest.first {
        if first == "#", isAtLineStart {
          rest = rest.drop { !$0.isNewline }
        } else if first.isWhitespace {
          if first.isNewline { isAtLineStart = true }
          rest = rest.dropFirst()
        } else {
          return
        }
      }
    }

    private mutating func quoted() -> String {
      rest = rest.dropFirst()
      var word = ""
      while let character = rest.popFirst(), character != "\"" {
        guard character == "\\" else {
          word.append(character)
          continue
        }
        switch rest.popFirst() {
        case "n": word.append("\n")
        case "r": word.append("\r")
        case "t": word.append("\t")
        case let other?: word.append(other)
        case nil: break
        }
      }
      return word
    }
  }
}
