// Whoever prints something needs `PrintableText`.
@_exported import ShownText
