/** Files that make a folder somebody's project, in the order in which they are shown. */
const projectFiles = [
  'devspace.yaml',
  'package.json',
  'go.mod',
  'pyproject.toml',
  'requirements.txt',
  'Cargo.toml',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'composer.json',
  'Gemfile',
  'mix.exs',
  'Dockerfile',
] as const;

/** More do not help to recognise a folder. */
const maximumMarks = 4;

/** What marks a folder with these names in it as a project. */
export function folderMarks(names: ReadonlySet<string>): readonly string[] {
  const marks: string[] = projectFiles.filter((name) => names.has(name));
  const dotnet = [...names].filter((name) => /^[\w.-]{1,60}\.(csproj|fsproj)$/.test(name)).sort()[0];
  if (dotnet !== undefined) marks.push(dotnet);
  return marks.slice(0, maximumMarks);
}
