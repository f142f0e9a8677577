import NotebookModel

await NotebookTool.tool.main()
