import Crypto
import Testing

@testable import ProtocolSimulation

/// Which passwords the simulation of the protocol expects to open the remote in the end.
@Suite struct PasswordBookTests {
  private var book = PasswordBook(["founded with"])
  private let lost: KeyIdentifier
  private let other: KeyIdentifier

  init() throws {
    lost = try #require(KeyIdentifier(digits: "00000000000000aa"))
    other = try #require(KeyIdentifier(digits: "00000000000000bb"))
  }

  private mutating func add(_ password: String, under keys: Set<KeyIdentifier>) {
    book.begin(.add(password))
    book.complete(.add(password), on: "device", under: keys)
  }

  @Test mutating func `what was added under keys that are lost need not open the document of other keys`() {
    add("added", under: [lost])
    #expect(book.lasting == ["founded with", "added"])
    book.lose([lost])
    // With the password of the founding somebody may have founded the other document as well.
    #expect(book.lasting == ["founded with"])
  }

  @Test mutating func `what was added under a key that is left must go on opening the remote`() {
    add("under the other", under: [other])
    add("under both", under: [lost, other])
    add("under one that nobody has seen", under: [])
    let lasting = book.lasting
    book.lose([lost])
    #expect(book.lasting == lasting)
  }

  @Test mutating func `what is added once keys are lost must open the remote`() {
    book.lose([lost])
    add("added", under: [other])
    #expect(book.lasting == ["founded with", "added"])
  }
}
