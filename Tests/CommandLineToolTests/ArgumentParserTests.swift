import Testing

@testable import CommandLineTool

@Suite struct ArgumentParserTests {
  enum Color: String, CaseIterable { case red, green }

  static let title = Parameter.required("title", placeholder: "T", "The title.")
  static let content = Parameter.optional("content", placeholder: "C", "The content.")
  static let tag = Parameter.repeated("tag", placeholder: "X", "A tag.")
  static let json = Parameter.flag("json", "Prints JSON.")
  static let quiet = Parameter.flag("quiet", "Prints nothing.")
  static let color = Parameter.choice("color", default: Color.red, "The colour.")
  static let count = Parameter.number("count", in: 1...9, default: 3, "How many.")
  static let note = Parameter.positional("NOTE", "The note.")
  static let words = Parameter.rest("WORD", "Words.")

  static let adding = Command(
    "add", "Adds.", [title, content, tag, json, quiet, color, count], exclusive: [[json, quiet]],
    perform: { _, _ in })
  static let tagging = Command("tag", "Tags.", [note, words, json], perform: { _, _ in })

  static let place = Parameter.optionalPositional("PLACE", "The place.")
  static let showing = Command("show", "Shows.", [note, place, json], perform: { _, _ in })

  func parse(_ command: Command, _ words: String...) throws(ToolFailure) -> Arguments {
    try ArgumentParser(command: command).parse(words)
  }

  func message(_ command: Command, _ words: String...) -> String? {
    do throws(ToolFailure) {
      _ = try ArgumentParser(command: command).parse(words)
      return nil
    } catch {
      #expect(error.status == .usage)
      return error.description
    }
  }

  @Test func `options come with a space or an equals sign, and repeated ones keep their order`() throws {
    let arguments = try parse(Self.adding, "--tag", "b", "--title=x=y", "--tag=a", "--json")

    #expect(try arguments[Self.title] == "x=y")
    #expect(try arguments[Self.tag] == ["b", "a"])
    #expect(try arguments[Self.json])
    #expect(try arguments[Self.content] == nil)
    #expect(try arguments[Self.color] == .red)
    #expect(try arguments[Self.count] == 3)
  }

  @Test func `a word that may be left out is taken where it is given, and one more is too many`() throws {
    #expect(try parse(Self.showing, "a")[Self.place] == nil)
    #expect(try parse(Self.showing, "a", "--json", "b")[Self.place] == "b")
    #expect(message(Self.showing, "a", "b", "c")?.contains("one word too many") == true)
    #expect(message(Self.showing)?.contains("NOTE") == true)
  }

  @Test func `an empty value is a value`() throws {
    let arguments = try parse(Self.adding, "--title=", "--content", "")
    #expect(try arguments[Self.title] == "")
    #expect(try arguments[Self.content] == "")
  }

  @Test func `an option's value may begin with a dash, and after two dashes every word is positional`() throws
  {
    #expect(try parse(Self.adding, "--title", "-x")[Self.title] == "-x")
    let arguments = try parse(Self.tagging, "--json", "--", "--json", "-a", "--")
    #expect(try arguments[Self.note] == "--json")
    #expect(try arguments[Self.words] == ["-a", "--"])
  }

  @Test(arguments: ["--content", "--json", "--title", "--content=x"])
  func `an option is not taken for the value of another`(_ option: String) throws {
    #expect(
      message(Self.adding, "--title", option)
        == "--title needs a value; to give one that begins with dashes write --title=….")
    #expect(try parse(Self.adding, "--title=\(option)")[Self.title] == option)
    #expect(try parse(Self.adding, "--title", "--other")[Self.title] == "--other")
  }

  @Test func `a list of names holds none that says nothing`() throws {
    let tags = Parameter.repeatedName("tag", placeholder: "X", "A tag.")
    let words = Parameter.restNames("WORD", "Words.")
    let command = Command("tag", "Tags.", [tags, words], perform: { _, _ in })
    #expect(message(command, "--tag", " ", "a") == "--tag is empty.")
    #expect(message(command, "a", "") == "WORD is empty.")
    #expect(message(command) == "WORD is missing.")
    #expect(try parse(command, "--tag", "x", "a b")[tags] == ["x"])
  }

  @Test func `options may stand between positional words`() throws {
    let arguments = try parse(Self.tagging, "n", "--json", "a", "b")
    #expect(try arguments[Self.note] == "n")
    #expect(try arguments[Self.words] == ["a", "b"])
  }

  @Test func `each mistake has a sentence of its own`() {
    #expect(message(Self.adding) == "--title is missing.")
    #expect(message(Self.adding, "--title") == "--title needs a value.")
    #expect(message(Self.adding, "--title", "a", "--title", "b") == "--title is given twice.")
    #expect(message(Self.adding, "--title", "a", "--json=1") == "--json takes no value.")
    #expect(
      message(Self.adding, "--title", "a", "b")
        == "“b” is one word too many; a value with spaces needs quotes.")
    #expect(message(Self.adding, "--titel", "a") == "“add” has no option --titel; did you mean --title?")
    #expect(
      message(Self.adding, "--something", "a") == "“add” has no option --something; “add --help” lists them.")
    #expect(
      message(Self.adding, "--title", "a", "--color", "blue")
        == "--color does not take “blue”; it takes one of red, green.")
    #expect(
      message(Self.adding, "--title", "a", "--count", "10")
        == "--count does not take “10”; it takes a whole number from 1 to 9.")
    #expect(
      message(Self.adding, "--title", "a", "--json", "--quiet") == "--json and --quiet exclude each other.")
    #expect(message(Self.tagging, "n") == "WORD is missing.")
    #expect(message(Self.tagging) == "NOTE is missing.")
  }

  @Test func `an environment variable that is not empty stands for an option that is not given`() throws {
    let store = Parameter.required("store", placeholder: "DIR", variable: "STORE", "The folder.")
    let command = Command("list", "Lists.", [store], perform: { _, _ in })
    func parse(_ words: [String], _ value: String?) throws(ToolFailure) -> String {
      try ArgumentParser(command: command, environment: { $0 == "STORE" ? value : nil }).parse(words)[store]
    }

    #expect(try parse([], "a") == "a")
    #expect(try parse(["--store", "b"], "a") == "b")
    #expect(throws: ToolFailure.self) { _ = try parse([], nil) }
    #expect(throws: ToolFailure.self) { _ = try parse([], "") }
    #expect(store.specification.usage == "[--store DIR]")
  }

  @Test(arguments: [
    ("titel", "title", 1), ("", "abc", 3), ("abc", "abc", 0), ("kitten", "sitting", 3), ("ca", "abc", 3),
  ])
  func `the distance of two words counts swaps once`(first: String, second: String, distance: Int) {
    #expect(Suggestion.distance(first, second) == distance)
    #expect(Suggestion.distance(second, first) == distance)
  }
}
