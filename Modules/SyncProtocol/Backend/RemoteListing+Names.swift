extension RemoteListing {
  /// The names in it that keep to the grammar, whatever bears them.
  ///
  /// A name with a code that is right was chosen by a member, and says what it says also where a folder or a link has taken the place of the
  /// file.
  var names: [RemoteName] { entries.map(\.name) + foreign.compactMap { RemoteName($0) } }
}
