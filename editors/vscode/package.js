// Makes wavetrap.vsix: the compiled extension with the page of the grid. node package.js [FILE]
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const own = require('./package.json');
const out = path.resolve(process.argv[2] || 'wavetrap.vsix');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'vsix-'));
const write = (name, text) => fs.writeFileSync(path.join(folder, name), text);

fs.mkdirSync(path.join(folder, 'extension'));
for (const name of ['package.json', 'README.md'])
    fs.copyFileSync(path.join(__dirname, name), path.join(folder, 'extension', name));
fs.cpSync(path.join(__dirname, 'walkthrough'), path.join(folder, 'extension', 'walkthrough'), { recursive: true });
fs.cpSync(path.join(__dirname, 'out'), path.join(folder, 'extension', 'out'), { recursive: true });
fs.copyFileSync(path.join(__dirname, '..', '..', 'LICENSE'), path.join(folder, 'extension', 'LICENSE.txt'));
fs.cpSync(path.join(__dirname, '..', '..', 'src', 'frontend', 'view', 'page'), path.join(folder, 'extension', 'media'), { recursive: true });
write('[Content_Types].xml', '<?xml version="1.0" encoding="utf-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    + ['json', 'js', 'md', 'txt', 'html', 'css', 'vsixmanifest'].map((one) => `<Default Extension=".${one}" ContentType="text/plain"/>`).join('') + '</Types>');
write('extension.vsixmanifest', `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata><Identity Language="en-US" Id="${own.name}" Version="${own.version}" Publisher="${own.publisher}"/>
<DisplayName>${own.displayName}</DisplayName><Description xml:space="preserve">${own.description}</Description><Categories>${own.categories.join(',')}</Categories>
<Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="${own.engines.vscode}"/></Properties></Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/>
<Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/></Assets></PackageManifest>
`);
fs.rmSync(out, { force: true });
// Without times: a release is the same, whenever it is made.
execFileSync('python3', ['-c', `import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[2])
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as package:
    for file in sorted(one for one in folder.rglob("*") if one.is_file()):
        package.writestr(zipfile.ZipInfo(str(file.relative_to(folder))), file.read_bytes(), zipfile.ZIP_DEFLATED)`, out, folder]);
fs.rmSync(folder, { recursive: true });
console.log(out);
