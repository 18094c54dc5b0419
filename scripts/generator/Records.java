import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.Tree.Kind;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Records and enums as Java sources declare them, so that a source need not compile to be read. */
final class Records {
  /** A component of a record or a constant of an enum; what its annotations and its Javadoc say. */
  record Field(String name, String type, Map<String, String> says, String meaning) {}

  /** A record, or an enum without fields; with what its annotations and its Javadoc say. */
  record Type(
      String name,
      boolean isRecord,
      List<String> is,
      List<Field> fields,
      Map<String, String> annotated,
      String meaning) {
    /** Returns what the annotations on the type say; empty where they do not. */
    String says(final String what) {
      return annotated.getOrDefault(what, "");
    }
  }

  private final Map<String, Type> types = new LinkedHashMap<>();

  static Records of(final Path... sources) throws IOException {
    final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    final Records records = new Records();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      final JavacTask task =
          (JavacTask)
              compiler.getTask(null, files, null, null, null, files.getJavaFileObjects(sources));
      for (final CompilationUnitTree unit : task.parse()) {
        final Comments comments = new Comments(DocTrees.instance(task), unit);
        unit.getTypeDecls().forEach(each -> records.add("", (ClassTree) each, comments));
      }
    }
    return records;
  }

  private void add(final String prefix, final ClassTree type, final Comments comments) {
    final String name = prefix + type.getSimpleName();
    if (type.getKind() == Kind.RECORD || type.getKind() == Kind.ENUM) {
      types.put(
          name,
          new Type(
              name,
              type.getKind() == Kind.RECORD,
              type.getImplementsClause().stream().map(Tree::toString).toList(),
              fields(type, comments),
              says(type.getModifiers()),
              comments.sentence(type)));
    }
    type.getMembers().stream()
        .filter(ClassTree.class::isInstance)
        .forEach(each -> add(name + ".", (ClassTree) each, comments));
  }

  private static List<Field> fields(final ClassTree type, final Comments comments) {
    final Map<String, String> parameters = comments.parameters(type);
    final List<Field> fields = new ArrayList<>();
    for (final Tree member : type.getMembers()) {
      if (member instanceof final VariableTree field && isField(field, type)) {
        final String name = field.getName().toString();
        fields.add(
            new Field(
                name,
                field.getType().toString(),
                says(field.getModifiers()),
                parameters.getOrDefault(name, comments.sentence(field))));
      }
    }
    return fields;
  }

  /** Constants of an enum are static and of its type. */
  private static boolean isField(final VariableTree member, final ClassTree type) {
    return !member.getModifiers().getFlags().contains(Modifier.STATIC)
        || type.getKind() == Kind.ENUM
            && member.getType().toString().equals(type.getSimpleName().toString());
  }

  private static Map<String, String> says(final ModifiersTree modifiers) {
    final Map<String, String> says = new HashMap<>();
    for (final AnnotationTree annotation : modifiers.getAnnotations()) {
      for (final var argument : annotation.getArguments()) {
        if (argument instanceof final AssignmentTree each) {
          says.put(each.getVariable().toString(), each.getExpression().toString());
        }
      }
    }
    return says;
  }

  /** All, in the order in which they are declared. */
  Collection<Type> all() {
    return types.values();
  }

  /** Returns the types that implement an interface, in the order in which they are declared. */
  List<Type> of(final String parent) {
    return types.values().stream().filter(each -> each.is.contains(parent)).toList();
  }

  /** Returns a type by the name that another calls it. */
  Type named(final String name, final String parent) {
    final Type nested = types.get(parent + "." + name);
    final Type type = nested == null ? types.get(name) : nested;
    if (type == null) {
      throw new IllegalStateException("no codec for a field of type " + name + " in " + parent);
    }
    return type;
  }
}
