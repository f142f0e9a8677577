/// Sorts the words after a verb into a command's parameters.
///
/// Options may stand anywhere, as `--name VALUE` or `--name=VALUE`; after `--` every word is positional, so a
/// value may begin with a dash. A lone `-` is a word. A word that is an option of the command is no value of the option before it: that
/// one's value was forgotten.
struct ArgumentParser {
  let command: Command
  /// The value of an environment variable.
  var environment: (String) -> String? = { _ in nil }

  private var specifications: [ParameterSpecification] { command.allParameters.map(\.specification) }

  func parse(_ words: [String]) throws(ToolFailure) -> Arguments {
    var arguments = Arguments()
    var positional: [String] = []
    var index = words.startIndex
    while index < words.endIndex {
      let word = words[index]
      index += 1
      if word == "--" {
        positional += words[index...]
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        positional.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let specification = try option(String(parts[0]))
      switch specification.kind {
      case .flag:
        guard parts.count == 1 else { throw .usage("\(parts[0]) takes no value") }
        try add("", to: specification, &arguments)
      case .option, .positional, .rest:
        if parts.count == 2 {
          try add(String(parts[1]), to: specification, &arguments)
        } else {
          guard index < words.endIndex else { throw .usage("\(word) needs a value") }
          guard !isOption(words[index]) else {
            throw .usage(
              "\(word) needs a value", advice: "to give one that begins with dashes write \(word)=…")
          }
          try add(words[index], to: specification, &arguments)
          index += 1
        }
      }
    }
    try distribute(positional, &arguments)
    for specification in specifications where arguments.texts(of: specification).isEmpty {
      guard let value = specification.variable.flatMap(environment), !value.isEmpty else { continue }
      arguments.append(value, to: specification)
    }
    try check(arguments)
    return arguments
  }

  /// Whether a word is one of the command's options, with or without a value.
  private func isOption(_ word: String) -> Bool {
    specifications.contains { specification in
      guard specification.kind == .option || specification.kind == .flag else { return false }
      let name = specification.displayName
      return word == name || word.hasPrefix("\(name)=")
    }
  }

  private func option(_ word: String) throws(ToolFailure) -> ParameterSpecification {
    let options = specifications.filter { $0.kind == .option || $0.kind == .flag }
    if let match = options.first(where: { "--\($0.name)" == word }) { return match }
    let suggestion = Suggestion.nearest(to: word, among: options.map { "--\($0.name)" } + ["--help"])
    throw .usage(
      "“\(command.name)” has no option \(word)",
      advice: suggestion.map { "did you mean \($0)?" } ?? "“\(command.name) --help” lists them")
  }

  private func add(
    _ text: String, to specification: ParameterSpecification, _ arguments: inout Arguments
  ) throws(ToolFailure) {
    guard specification.isRepeatable || arguments.texts(of: specification).isEmpty else {
      throw .usage("\(specification.displayName) is given twice")
    }
    arguments.append(text, to: specification)
  }

  private func distribute(_ words: [String], _ arguments: inout Arguments) throws(ToolFailure) {
    var words = words[...]
    for specification in specifications {
      switch specification.kind {
      case .flag, .option: continue
      case .positional:
        guard let word = words.popFirst() else { continue }
        arguments.append(word, to: specification)
      case .rest:
        while let word = words.popFirst() { arguments.append(word, to: specification) }
      }
    }
    if let surplus = words.first {
      throw .usage("“\(surplus)” is one word too many", advice: "a value with spaces needs quotes")
    }
  }

  private func check(_ arguments: Arguments) throws(ToolFailure) {
    for parameter in command.allParameters {
      try parameter.validate(arguments.texts(of: parameter.specification))
    }
    for group in command.exclusive {
      let given = group.filter { arguments.contains($0) }.map(\.specification.displayName)
      guard given.count < 2 else { throw .usage("\(given.joined(separator: " and ")) exclude each other") }
    }
  }
}
