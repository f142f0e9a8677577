import CommandLineTool

/// `tag`: gives a note tags; those that it has already stay.
enum TagVerb {
  static let tags = Parameter.restNames("TAG", "The tags.")

  static let command = StoreParameters.command(
    "tag", "Gives a note tags.", [StoreParameters.note, tags]
  ) { notebook, arguments, console in
    let note = try notebook.note(try arguments[StoreParameters.note])
    for name in try arguments[tags] { note.$tags.insert(try notebook.tag(name)) }
    try notebook.save(note)
    try NoteOutput.show(note, of: notebook, arguments, console)
  }
}

/// `untag`: takes tags off a note.
enum UntagVerb {
  // Others may have made one that says nothing.
  static let tags = Parameter.rest("TAG", "The tags.")

  static let command = StoreParameters.command(
    "untag", "Takes tags off a note.", [StoreParameters.note, tags]
  ) { notebook, arguments, console in
    let note = try notebook.note(try arguments[StoreParameters.note])
    for name in try arguments[tags] {
      guard let tag = try notebook.existingTag(name), note.$tags.contains(tag) else {
        throw ToolFailure(.notFound, "the note has no tag “\(name)”")
      }
      note.$tags.remove(tag)
    }
    try notebook.save(note)
    try NoteOutput.show(note, of: notebook, arguments, console)
  }
}
