/// Passwords that are long enough and protect nothing: everybody who guesses begins with them.
enum CommonPasswords {
  /// Whether a password is one of the first to be tried: one character again and again, one that counts up, or one that very many people use.
  static func contains(_ password: String) -> Bool {
    let text = password.lowercased()
    return Set(text).count < 2 || counts(text) || words.contains(text)
  }

  /// Whether each character is the one after that before it, as in `12345678` and `abcdefgh`.
  private static func counts(_ text: String) -> Bool {
    let values = text.unicodeScalars.map { Int($0.value) }
    return zip(values, values.dropFirst()).allSatisfy { $1 == $0 + 1 }
  }

  /// The most common ones of eight characters and more.
  private static let words: Set<String> = [
    "1234567890", "password", "password1", "password123", "passw0rd", "p@ssw0rd", "passwort", "qwertyui",
    "qwertyuiop", "qwerty123", "qwertz123", "asdfghjk", "asdfghjkl", "1q2w3e4r", "1q2w3e4r5t", "1qaz2wsx",
    "abcd1234", "abc12345", "iloveyou", "sunshine", "princess", "football", "baseball", "superman",
    "trustno1",
    "letmein1", "welcome1", "starwars",
    "computer", "michelle", "jennifer", "whatever", "11223344", "12341234",
    "87654321", "987654321", "changeme", "changeit", "notebook", "internet", "administrator",
  ]
}
